#!/usr/bin/env python3
"""annotate_test.py MAPPING [FILE...]: the annotation of each line of a listing by --annotate.

Tools printed the files of listings/ (or FILE...); see its README. The test computes the registers of an operand itself:
the first is in the line, and their number follows from the shapes and types of the PTX ISA, 9.7.14 (rows * columns *
bits / 32 threads / 32 bits). Every line of the listing must be unchanged. Further tests: input that is not a listing,
and output that begins before the input ends."""
import html.parser
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import threading

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "lib"))
from listing import instructions  # noqa: E402
from tap import finish, ok  # noqa: E402

MAPPING = sys.argv[1]
LISTINGS = pathlib.Path(__file__).resolve().parent / "listings"
BITS = {"F64": 64, "F32": 32, "TF32": 32, "BF16": 16, "F16": 16, "S8": 8, "U8": 8, "S4": 4, "U4": 4, "B1": 1,
        "E4M3": 8, "E5M2": 8}
TYPES = "|".join(BITS)
SASS = "[HIDQ]MMA|LDSM|STSM|MOVM"


def run(*arguments, **more):
    done = subprocess.run([MAPPING, *arguments], capture_output=True, check=False, **more)
    return done.returncode, done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace")


def registers(first, count):
    """R4, 4 -> R4-R7."""
    first = first.split(".")[0]
    if first == "RZ" or count == 1:
        return first
    number = int(first[1:])
    return f"R{number}-R{number + count - 1}"


def sass_operands(opcode, names):
    """The operands that a line of SASS names, from the PTX ISA; None if this test does not know the instruction."""
    mnemonic, *words = opcode.split(".")
    if mnemonic in ("LDSM", "STSM"):
        count = int(words[-1]) if words[-1] in "24" else 1
        data, address = (0, 1) if mnemonic == "LDSM" else (1, 0)
        address = names[address].replace(" ", "")
        return f"data {registers(names[data], count)}, address {address}"
    if mnemonic == "MOVM":
        return f"D {registers(names[0], 1)}, A {registers(names[1], 1)}"
    shape = re.fullmatch(r"(16|8)8(\d+)", words[0])
    if not shape or len(names) != 4 or "SP" in words or "SF" in words:
        return None
    m, n, k = int(shape[1]), 8, int(shape[2])
    types = [word for word in words[1:] if word in BITS]
    if mnemonic == "HMMA":
        d = BITS[types[0]]
        a = b = BITS[types[1]] if len(types) > 1 else 16
    elif mnemonic == "IMMA":
        d, a, b = 32, BITS[types[0]], BITS[types[1]]
    elif mnemonic == "QMMA":
        d, a, b = BITS[types[0]], BITS[types[1]], BITS[types[2]]
    else:
        d = a = b = 64
    count = [rows * cols * bits // 1024 for rows, cols, bits in ((m, n, d), (m, k, a), (k, n, b), (m, n, d))]
    return ", ".join(f"{operand} {registers(name, size)}" for operand, name, size in zip("DABC", names, count))


def ptx_operands(opcode, text):
    """The same of a line of PTX, which lists the registers."""
    lists = re.findall(r"\{([^}]*)\}|\[([^]]*)\]|(%\w+)", text)
    names = [[name.strip() for name in braces.split(",")] if braces else [name] for braces, _, name in lists
             if braces or name]
    address = next((bracket for _, bracket, _ in lists if bracket), None)
    family = re.match(r"(\w+)(?:\.(load|store)\.(\w))?", opcode)
    if family[1] == "wmma" and family[2]:
        letters = family[3].upper()
    else:
        letters = {"ldmatrix": ["data"], "stmatrix": ["data"], "movmatrix": "DA"}.get(family[1], "DABC")
    parts = [f"{letter} {','.join(listed)}" for letter, listed in zip(letters, names)]
    return parts + ([f"address [{address.replace(' ', '')}]"] if address else [])


def expanded(text):
    """D %f1-%f4 -> D %f1,%f2,%f3,%f4."""
    def one(match):
        return ",".join(f"{match[1]}{n}" for n in range(int(match[2]), int(match[3]) + 1))
    return re.sub(r"(%[a-z]+)(\d+)-\1(\d+)", one, text)


def judge(path, lines, printed):
    """Why the output is wrong; "" if it is right. Also how many instructions were compared."""
    compared, at = 0, 0
    for line in lines:
        if at >= len(printed) or not printed[at].startswith(line):
            return f"{path}: '{line[:100]}' became '{printed[at][:100] if at < len(printed) else ''}'", compared
        comments, at = [printed[at][len(line):]], at + 1
        found = [] if path.suffix == ".ptx" else \
            [(one.opcode, sass_operands(one.opcode, one.operands)) for one in instructions(line, SASS)]
        several = not comments[0] and len(found) > 1
        while several and at < len(printed) and re.match(r"// [A-Z]+", printed[at]):
            comments.append(printed[at])
            at += 1
        for number, (name, wanted) in enumerate(found):
            comment = comments[1 + number] if several else comments[0]
            if wanted is None:
                continue
            compared += 1
            if not comment.endswith(": " + wanted):
                return f"{path}: {name}: expected '{wanted}', not '{comment}'", compared
        ptx = re.match(r"\s*(?:@\S+ )?((?:mma|wmma|ldmatrix|stmatrix|movmatrix)\.[\w.:]+)\s+(.*);", line)
        if ptx:
            compared += 1
            wanted = f": {', '.join(ptx_operands(ptx[1], ptx[2]))}"
            if not expanded(comments[0]).endswith(wanted):
                return f"{path}: {ptx[1]}: expected '{wanted}', not '{expanded(comments[0])}'", compared
    return "", compared


def annotate(path):
    lines = path.read_text(errors="replace").split("\n")
    lines = lines[:-1] if not lines[-1] else lines
    status, out, err = run(f"--annotate={path}")
    why, compared = judge(path, lines, out.split("\n"))
    return why or (f"{path}: status {status}, {err}" if status or err else ""), compared


def test_listings(paths):
    for path in paths:
        why, compared = annotate(path)
        ok(f"{path.name}: {compared} instructions are annotated, and all lines are there", not why and compared > 0, why)


class Page(html.parser.HTMLParser):
    """The text of the listing in a page, which form each part of it leads to, and the data."""

    def __init__(self, text):
        super().__init__()
        self.listing, self.pointed, self.data, self.open = "", [], "", ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        self.open = attrs.get("id", self.open)
        if "data-form" in attrs:
            self.pointed.append(int(attrs["data-form"]))

    def handle_endtag(self, tag):
        if tag in ("pre", "script"):
            self.open = ""

    def handle_data(self, data):
        if self.open == "listing":
            self.listing += data
        elif self.open == "data":
            self.data += data


def test_pages():
    """A page has the text of --format=text, and each instruction leads to the fragments that JSON names."""
    for name in ("cuobjdump.txt", "cuobjdump_sm_90.txt", "nvdisasm_json.txt", "nvcc.ptx"):
        argument = f"--annotate={LISTINGS / name}"
        text, listed = run(argument)[1], json.loads(run(argument, "--format=json")[1])
        page = Page(run(argument, "--format=html")[1])
        data = json.loads(page.data)
        shown = [{data["reports"][report]["name"] for report in data["forms"][form]} for form in page.pointed]
        wanted = [{operand["fragment"] for operand in one["fragments"] if operand["fragment"]} for one in listed["instructions"]]
        ok(f"{name} as a page: {len(shown)} instructions lead to their fragments",
           page.listing.strip("\n") == text.strip("\n") and shown == [names for names in wanted if names] and shown)
    hostile = b"</pre><script>alert(1)</script>\n.text.<b>&amp;:\nUTCBAR [UR4] ; </span>\n"
    status, out, _ = run("--annotate=-", "--format=html", input=hostile)
    ok("lines are no markup, and a listing without fragments has no scripts",
       status == 0 and "<script" not in out and "&lt;/pre&gt;&lt;script&gt;" in out and "&amp;amp;" in out)


def essence(listed):
    """The instructions and their registers, without the lines."""
    return [(one["name"], [(each["operand"], each["fragment"], each.get("registers")) for each in one["fragments"]])
            for one in json.loads(listed)["instructions"]]


def test_odd_input():
    long_line = b"        /*0100*/  HMMA.16816.F32 R4, R8, R16, R4 ; " + b"x" * (10 << 20)
    status, out, _ = run("--annotate=-", input=long_line)
    ok("a line of 10 MB is annotated", status == 0 and ": D R4-R7, A R8-R11, B R16-R17, C R4-R7\n" in out)
    longer = b"[" + b"y" * (40 << 20) + b"\nHMMA.16816.F32 R4, R8, R16, R4\n"
    status, out, _ = run("--annotate=-", input=longer)
    ok("a line of 40 MB is printed as it was", status == 0 and out.encode().startswith(longer[:-1] + b" // mma.m16n8k16"))
    crlf = b"LDSM.16.M88.4 R132, [R200];\r\nEXIT ;\r\n"
    status, out, _ = run("--annotate=-", input=crlf)
    ok("lines keep their \\r\\n", out.startswith("LDSM.16.M88.4 R132, [R200]; // ldmatrix.m8n8.x4.b16: data R132-R135, "
                                                "address [R200]\r\nEXIT ;\r\n"))
    real = (LISTINGS / "nvdisasm_c.txt").read_text()
    wanted = essence(run("--annotate=-", "--format=json", input=real.encode())[1])
    for name, text in (
        ("colored opcodes", re.sub(r"\b(HMMA|LDSM)[\w.]*", "\x1b[1;32m\\g<0>\x1b[0m", real)),
        ("colored registers", re.sub(r"\bR\d+\b", "\x1b[38;5;81m\\g<0>\x1b[39m", real)),
        ("links", re.sub(r"\b(HMMA|LDSM)[\w.]*", "\x1b]8;;http://x/\x1b\\\\\\g<0>\x1b]8;;\a", real)),
        ("blanks of a web page", real.replace(" ", "\u00a0")),
        ("a string of Python", repr({"sass": real})),
        ("a string of JSON, colored", "\x1b[32m" + json.dumps({"sass": real}) + "\x1b[0m"),
    ):
        status, out, err = run("--annotate=-", "--format=json", input=text.encode())
        found = essence(out) if status == 0 else []
        ok(f"{name}: the same {len(wanted)} instructions", found == wanted and len(wanted) > 0, f"{len(found)} {err}")
    status, out, err = run("--annotate=-", input=real.encode("utf-16"))
    ok("UTF-16 is refused with a way to convert it", status == 2 and not out and "iconv -f UTF-16 -t UTF-8 FILE" in err, err)
    for name, text in (("empty input", b""), ("binary data", bytes(range(256)) * 9), ("an ELF file on standard input", b"\x7fELF" + bytes(99))):
        status, out, err = run("--annotate=-", input=text)
        ok(f"{name} is refused with a sentence", status == 2 and not out and err.startswith("mapping: "), err)
    real = (LISTINGS / "cuobjdump.txt").read_bytes()
    whys = []
    for cut in range(0, len(real), 997):
        status, out, err = run("--annotate=-", input=real[:cut] or b"\n")
        if status or err:
            whys.append(f"cut at {cut}: {status} {err}")
    noise = bytes(byte for byte in bytes(range(1, 256)) * 300)
    status, out, err = run("--annotate=-", input=noise)
    ok("truncated listings and control characters are printed", not whys and status == 0, str(whys[:3]) + err)


def test_binaries():
    """A cubin goes through nvdisasm, other binaries through cuobjdump; here they are scripts that print a line."""
    with tempfile.TemporaryDirectory() as folder:
        cubin = os.path.join(folder, "a.cubin")
        fatbin = os.path.join(folder, "a.fatbin")
        pathlib.Path(cubin).write_bytes(b"\x7fELF" + bytes(14) + b"\xbe\0" + bytes(99))
        pathlib.Path(fatbin).write_bytes(b"\x50\xed\x55\xba" + bytes(99))
        for path, tool in ((cubin, "nvdisasm -c"), (fatbin, "cuobjdump -sass")):
            status, out, err = run(f"--annotate={path}", f"--cuda={folder}")
            ok(f"without a toolkit, {tool} is advised",
               status == 3 and not out and f"run: {tool} {path} | mapping --annotate=-" in err, err)
        for name in ("ptxas", "nvdisasm", "cuobjdump"):
            script = pathlib.Path(folder, name)
            script.write_text(f'#!/bin/sh\necho "{name} $1"\necho "HMMA.16816.F32 R4, R8, R16, R4 ;"\n')
            script.chmod(0o755)
        for path, tool in ((cubin, "nvdisasm -c"), (fatbin, "cuobjdump -sass")):
            status, out, err = run(f"--annotate={path}", f"--cuda={folder}")
            ok(f"{tool} disassembles, and a note says so",
               status == 0 and out.startswith(f"{tool}\nHMMA.16816.F32 R4, R8, R16, R4 ; // mma.m16n8k16") and
               err == f"mapping: {path} is disassembled by {folder}/{tool.split()[0]}\n", out + err)
        script = pathlib.Path(folder, "nvdisasm")
        script.write_text("#!/bin/sh\necho 'bad cubin' >&2\nexit 1\n")
        status, out, err = run(f"--annotate={cubin}", f"--cuda={folder}")
        ok("a tool that fails is a failure", status == 5 and not out and "bad cubin" in err, err)


def test_streaming():
    with tempfile.TemporaryDirectory() as folder:
        fifo = os.path.join(folder, "fifo")
        os.mkfifo(fifo)
        with subprocess.Popen([MAPPING, f"--annotate={fifo}"], stdout=subprocess.PIPE) as program:
            with open(fifo, "wb", buffering=0) as pipe:
                pipe.write(b"HMMA.16816.F32 R4, R8, R16, R4 ;\n")
                timer = threading.Timer(20, program.kill)
                timer.start()
                first = program.stdout.readline()
                timer.cancel()
                pipe.write(b"EXIT ;\n")
            rest = program.stdout.read()
    ok("output begins before the input ends, out of a FIFO", b"mma.m16n8k16" in first and rest.startswith(b"EXIT ;\n"))


if sys.argv[2:]:
    test_listings([pathlib.Path(name) for name in sys.argv[2:]])
else:
    test_listings(sorted(path for path in LISTINGS.iterdir() if path.name != "README.md"))
    test_pages()
    test_odd_input()
    test_binaries()
    test_streaming()
sys.exit(finish())
