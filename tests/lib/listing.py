"""Shared by tests in Python: reads SASS as nvdisasm prints it. Nothing here is code of the program."""
import collections
import re

Instruction = collections.namedtuple("Instruction", "guard opcode operands")
LINE = re.compile(r"(?:\s*/\*[0-9a-f]+\*/)?\s*(?:@(!?U?P\w+)\s+)?([A-Z][\w.]*)\s*([^;]*);")


def instruction(line):
    """The instruction of a line, without what is behind its operands; None if it has none. Its guard may be None."""
    found = LINE.match(line)
    if not found:
        return None
    operands = re.split(r"\s+[&?]", found[3].replace(".reuse", ""))[0].strip()  # behind that: scheduling
    return Instruction(found[1], found[2], [each.strip() for each in operands.split(",")] if operands else [])


def kernels(listing):
    """For each kernel its instructions, and for each of its labels the number of the instruction behind it."""
    code, program = {}, None
    for line in listing.splitlines():
        section = re.match(r"\s*\.section\s+(?:\.text\.(\w+))?", line)
        label = re.match(r"([.$\w]+):", line)
        if section:
            program = code.setdefault(section[1], ([], {})) if section[1] else None
        elif label and program:
            program[1][label[1]] = len(program[0])
        elif program and (found := instruction(line)):
            program[0].append(found)
    return code
