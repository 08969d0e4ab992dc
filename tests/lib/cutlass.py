"""Functions for tests that compile CUTLASS's headers."""
import os
import re


def cutlass_version(include):
    """The version of the headers in these folders, which have colons between them."""
    for path in include.split(":"):
        if os.path.exists(f"{path}/cutlass/version.h"):
            with open(f"{path}/cutlass/version.h") as file:
                return ".".join(re.findall(r"#define CUTLASS_(?:MAJOR|MINOR|PATCH) +(\d+)", file.read()))
    raise FileNotFoundError("cutlass/version.h")
