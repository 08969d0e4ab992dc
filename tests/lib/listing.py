"""Shared by tests in Python: reads SASS as nvdisasm and other tools print it. Nothing here is code of the program."""
import collections
import re

Instruction = collections.namedtuple("Instruction", "guard opcode operands")
CODE = r"(?:@(!?U?P\w+)\s+)?([A-Z][\w.]*)\s*([^;]*)"
LINE = re.compile(rf"(?:\s*/\*[0-9a-f]+\*/)?\s*{CODE};")


def from_match(found):
    operands = re.split(r"\s+[&?]", found[3].replace(".reuse", ""))[0].strip()  # behind that: scheduling
    return Instruction(found[1], found[2], [each.strip() for each in operands.split(",")] if operands else [])


def instruction(line):
    """The instruction of a line, without what is behind its operands; None if it has none. Its guard may be None."""
    found = LINE.match(line)
    return from_match(found) if found else None


def instructions(line, mnemonics):
    """The instructions with some mnemonics, "HMMA|LDSM", in a line of any tool: nvdisasm -json and -bbcfg have several."""
    plain = re.sub(r"/\*.*?\*/", "", line.replace('","operands":"', " ").replace("\\ ", " ").replace("\\l", ";"))
    if plain.lstrip().startswith("//"):
        return []
    code = re.compile(CODE.replace("[A-Z]", rf"(?<![\w.])(?:{mnemonics})(?![A-Z0-9_])").replace("[^;]", '[^;"/]'))
    return [from_match(found) for found in code.finditer(re.sub(r"\\([\[\]])", r"\1", plain))]


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
