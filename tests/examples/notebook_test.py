"""Executes a notebook, and compares the output of its cells with the recorded outputs.

    PYTHONPATH=build/python python3 tests/examples/notebook_test.py NOTEBOOK     with nbclient and ipykernel

A picture is one string in the file, which Jupyter would write as a list of its lines.
"""
import copy
import sys

import nbformat
from nbclient import NotebookClient


def outputs(cell):
    """The texts of a cell's outputs, and which kinds of pictures they have."""
    return [output.get("text") or (output["data"]["text/plain"], sorted(output["data"])) for output in cell.get("outputs", [])]


def main(path):
    notebook = nbformat.read(path, as_version=4)
    executed = NotebookClient(copy.deepcopy(notebook), timeout=120, kernel_name="python3", coalesce_streams=True).execute()
    different = [after.source for before, after in zip(notebook.cells, executed.cells) if outputs(before) != outputs(after)]
    for source in different:
        print(f"{path}: this cell has another output now:\n{source}")
    return bool(different)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
