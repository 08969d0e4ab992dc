"""json_schema_test.py PROGRAM SCHEMA FOLDER: runs command lines of all commands with --format=json (for the catalogue,
a sample), and validates the output against the schema. It also corrupts outputs, which the schema must reject."""

import copy
import json
import os
import shutil
import subprocess
import sys

import jsonschema

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", "lib"), os.path.join(HERE, "..", "smem")]
from library import command  # noqa: E402
from matrix_headers import recorded_cases  # noqa: E402
from tap import finish, ok, sample

program, schema_path, folder = sys.argv[1:]
with open(schema_path) as file:
    schema = json.load(file)


def members(node):
    """The names of the members that a part of the schema describes, also by $ref and allOf."""
    names = set(node.get("properties", {}))
    for part in node.get("allOf", []):
        names |= members(part)
    if "$ref" in node:
        names |= members(schema["$defs"][node["$ref"].rsplit("/", 1)[1]])
    return names


def strict(node):
    """The schema without members that it does not name. As it is, it allows them: readers overlook what is new.
    Parts without a type, which $ref adds to objects, name some of their members."""
    if isinstance(node, list):
        return [strict(one) for one in node]
    if not isinstance(node, dict):
        return node
    made = {name: strict(one) for name, one in node.items()}
    if "object" in node.get("type", "") and (members(node) or "patternProperties" in node):
        made["properties"] = {**dict.fromkeys(members(node), True), **made.get("properties", {})}
        made.setdefault("additionalProperties", False)
    return made


lenient = jsonschema.Draft202012Validator(schema)
validator = jsonschema.Draft202012Validator(strict(schema))

D = "mma.m16n8k16.d.f32"
TILE = "Sw<3,3,3> o 0 o (64,64):(64,1)"
TMEM = "--arch=sm_100a"
# Command lines, with bars between words. Each is run with --format=json as well.
LINES = [line.split("|") for line in f"""
--arch=sm_70
--arch=sm_75|--type=half
--annotate=tests/listing/listings/nvcc.ptx
--annotate=tests/listing/listings/nvdisasm_c.txt|--at=3,5|--detail
--arch=sm_70,sm_90|wmma.m16n16k16.a.row.f16|--brief
mma.m16n8k16|--brief
mma.m16n8k16.*.f16|--detail
{D}
{D}|--style=short
{D}|--style=divide|--brief
{D}|--at=3,5
{D}|--at=3,*
{D}|--thread=7
{D}|--thread=0-3,1
{D}|--atom-layout=(2,2,1)
{D}|--permutation=32,32,_|--atom-layout=(2,2,1)|--detail|--brief
mma.m8n8k4.a.row.f16|--at=0,1,2
mma.sp.m16n8k16.e.f16
mma.sp.m16n8k32.e.bf16|--detail
mma.m16n8k64.sfa.2x.ue8m0|--arch=sm_120a|--detail
ldmatrix.m8n8.x4.p.b16|--detail
ldmatrix.m16n16.x1.r.b8|--arch=sm_100a
movmatrix.m8n8.d.b16
wgmma.m64n128k16.d.f32|--arch=sm_90a|--brief|--detail
wgmma.mma_async.sync.aligned.m64n16k16.f32.f16.f16|--arch=h200|--detail|--brief
mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32|--detail
mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32|--detail|--brief
HMMA.16816.F32 R4, R8, R16, R4
SM80_16x8x16_F32F16F16F32_TN|--brief
fragment<matrix_a, 16, 16, 16, half, row_major>|--arch=80
tcgen05.mma.ws.m32n64k16.d.f32|{TMEM}
tcgen05.mma.m128n128k16.d.f32|{TMEM}|--brief|--detail
tcgen05.mma.m128n128k16.d.f32|{TMEM}|--at=3,5
tcgen05.mma.m128n128k16.d.f32|{TMEM}|--lane=3,4
tcgen05.mma.cta2.m256n128k16.d.f32|{TMEM}|--brief|--detail
tcgen05.mma.ws.m32n128k16.d.f32|{TMEM}|--brief|--detail
tcgen05.mma.m128k16.a.f16|{TMEM}|--brief|--detail
tcgen05.mma.m128k64.sfa.4x.ue4m3|{TMEM}|--brief|--detail
tcgen05.mma.sp.m128k32.e.f16|{TMEM}|--brief|--detail
tcgen05.ld.16x64b.x4.r.b32|{TMEM}|--detail
tcgen05.st.32x32b.x2.r.b32|{TMEM}|--detail
tcgen05.cp.128x128b.d.b32|{TMEM}|--brief|--detail
tcgen05.shift.31x256b.d.b32|{TMEM}|--brief|--detail
tcgen05.mma.m64n64k16.d.f32|{TMEM}|--with=tcgen05.ld.16x256b|--brief|--detail
tcgen05.mma.m64n64k16.d.f32|{TMEM}|--with=tcgen05.ld.16x256b|--thread=5
tcgen05.mma.m128n64k16.d.f32|{TMEM}|--with=tcgen05.st.32x32b.x16|--brief
tcgen05.mma.cta2.m256n64k16.d.f32|{TMEM}|--with=tcgen05.ld.32x32b.x16|--brief
(64,64):(64,1)|--brief
(8,8):(8,1)
(8,8,2):(8,1,64)
{TILE}|--type=s8|--brief
{TILE}|--offset=72
{TILE}|--at=1,0
Sw<3,4,3> o smem_ptr[16b](unset) o (64,64):(64,1)|--brief|--style=short
Layout_K_SW128_Atom
Layout_K_SW128_Atom|--address=0x480|--brief
Layout_K_SW128_Atom|--verify=0x4000000000010000
Layout_K_SW128_Atom|--extent=16,64|--verify=0x6000808000010000
(64,64):(64,1)|--verify=0x4000000000010000
0x4000404000010000
0x8100010
0x8100010|0x1234|kind::f16
Layout_MN_SW64_Atom<half_t>|--brief
TensorOpMultiplicand<16,64>|--brief|--extent=64,8
RowMajor|--extent=4,8
{TILE}|--load=mma.m16n8k16.a.f16
128x4|--extent=130,6
128x4|--extent=130,6|--offset=510-520
8x4|--extent=64,8|--equals=128x4
{D}|--equals=mma.m16n8k16.c.f32
ue8m0x4|--extent=128,8|--load=tcgen05.mma.m128k32.sfa.1x.ue8m0
(64,64):(1,64)|--load=mma.m16n8k32.a.e4m3|--arch=sm_120a
(64,(16,4)):(128,(1,32))|--type=s4|--load=mma.m16n8k32.a.s8|--arch=sm_90a
(16,(16,2)):(128,(1,64))|--type=e3m2|--load=mma.m16n8k32.a.e3m2|--arch=sm_120a
{TILE}|--load=mma.m16n8k16.a.f16|--with=ldmatrix.x4|--origin=16,16
{TILE}|--store=cp.async
{TILE}|--store=tma
{TILE}|--store=mma.m16n8k16.d.f16
(64,64):(64,1)|--load=mma.m16n8k16.a.f16|--atom-layout=(2,2,1)
(64,64):(64,1)|--suggest|--load=mma.m16n8k16.a.f16|--store=cp.async
(64,64):(64,1)|--suggest|--load=mma.m16n8k16.b.f16|--type=f16
{D}|--verify=row = lane / 4 + 8 * (i / 2)
{D}|--verify=row = lane / 8 - 9; col = i
wmma.m16n16k16.d.f32|--arch=70|--verify=row = tid & 3
{D}|--verify=tid = row % 8 * 4 + col / 2
{TILE}|--verify=offset = row * 64 + col
{TILE}|--load=mma.m16n8k16.a.f16|--verify=offset = tid
{TILE}|--store=cp.async|--verify=address = tid * 16 + step * 512
{D}|--convert=mma.m16n8k16.a.f16
mma.m16n8k16.d.f32|--convert=mma.m16n8k8.a.tf32
mma.m16n8k32.d.s32|--convert=mma.m16n8k32.a.s8
128x4|--arch=120a|--load=mma.m16n8k64.sfa.2x.ue8m0
mma.m16n8k64.sfb.4x.ue4m3|--arch=120a|--convert=mma.m16n8k64.d.f32
wmma.m16n16k16.d.f32|--arch=70|--convert=wmma.m16n16k16.a.row.f16
wgmma.m64n64k16.d.f32|--convert=wgmma.m64n8k32.a.e4m3
#ttg.nvidia_mma<{{versionMajor = 2, versionMinor = 0, warpsPerCTA = [1, 1], instrShape = [16, 8]}}>|--verify=row = tid; col = i
#ttg.nvidia_mma<{{versionMajor = 2, versionMinor = 0, warpsPerCTA = [1, 1], instrShape = [16, 8]}}>|--verify=#ttg.nvidia_mma<{{versionMajor = 2, versionMinor = 0, warpsPerCTA = [1, 1], instrShape = [16, 8]}}>
#ttg.nvidia_mma<{{versionMajor = 2, versionMinor = 0, warpsPerCTA = [1, 1], instrShape = [16, 8]}}>|--shape=32,16|--at=3,5
#ttg.nvidia_mma<{{versionMajor = 2, versionMinor = 0, warpsPerCTA = [1, 1], instrShape = [16, 8]}}>|--convert=mma.m16n8k8.a.f16
tensor<64x16xf32, #ttg.nvidia_mma<{{versionMajor = 2, versionMinor = 0, warpsPerCTA = [1, 1], instrShape = [16, 8], CGALayout = [[1, 0]]}}>>|--verify=row = tid; col = i
!ttg.memdesc<2x128x64xf16, #ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1>, #ttng.tensor_memory>
!ttg.memdesc<2x128x64xf16, #ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1>, #ttng.tensor_memory>|--at=1,3,5
!ttg.memdesc<2x128x64xf16, #ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1>, #ttng.tensor_memory>|--verify=lane = row; column = col; bit = 0
!ttg.memdesc<128x4xi8, #ttng.tensor_memory_scales_encoding<>, #ttng.tensor_memory>
!ttg.memdesc<128x4xi8, #ttng.tensor_memory_scales_encoding<>, #ttng.tensor_memory>|--verify=lane = row; column = col; bit = 0
(64,64):(64,1)|--load=#ttg.nvidia_mma<{{versionMajor = 2, versionMinor = 0, warpsPerCTA = [1, 1], instrShape = [16, 8]}}>
--access=ld.b32|--address=tid * 8
--access=ldmatrix.x4|--address=tid * 128
--access=st.u8|--address=0,4,-,12,16,20,24,28,32,36,40,44,48,52,56,60,64,68,72,76,80,84,88,92,96,100,104,108,112,116,120,124
--diff=sm_70,sm_72
--diff=sm_72,sm_75|--verbose
--diff=sm_90,sm_100|--type=s4
--diff=sm_80,sm_80
--list|--arch=sm_75|--type=s8
--list|mma.sp.m16n8k16.e.*
""".strip().splitlines()]


def no_twice(pairs):
    """An object without duplicate members."""
    names = [name for name, _ in pairs]
    if len(set(names)) < len(names):
        raise ValueError(f"a member stands there twice: {names}")
    return dict(pairs)


def run(words, status=(0, 1, 4)):
    """The program's output, parsed; an error message if it is not JSON."""
    done = command(program, *words, "--format=json")
    if done.returncode not in status:
        return f"status {done.returncode}: {done.stderr}"
    try:
        return json.loads(done.stdout, object_pairs_hook=no_twice)
    except ValueError as error:
        return f"no JSON: {error}"


def complaint(document):
    """The errors that the schema finds, "" if there are none."""
    if isinstance(document, str):
        return document
    if validator.is_valid(document):
        return ""
    worst = jsonschema.exceptions.best_match(validator.iter_errors(document))
    return f"{worst.json_path}: {worst.message[:300]}"


def short(document):
    """The document with the first and the last line of a long map, whose lines are alike."""
    if isinstance(document, list):
        return [short(one) for one in document]
    if not isinstance(document, dict) or len(document.get("map", [])) < 4:
        return document
    return {**document, "map": document["map"][:1] + document["map"][-1:]}


def contract(words, document):
    """What the contract has beside the schema: maps are there unless --brief or a question leaves them out."""
    left_out = any(word.startswith(("--brief", "--at", "--thread", "--lane", "--offset", "--verify")) for word in words)
    documents = document if isinstance(document, list) else [document]
    missing = [d for d in documents if ("coordinates" in d or "fragment" in d) and "rests_on" not in d and "map" not in d]
    return "a map is missing" if missing and not left_out else ""


def check(lines):
    """Runs command lines; returns the errors, and the output of each."""
    wrong, printed = [], []
    for words in lines:
        document = run(words)
        why = complaint(short(document)) or contract(words, document)
        if why:
            wrong.append(f"{' '.join(words)}: {why}")
        else:
            printed.append(document)
    return "\n".join(wrong), printed


def probes():
    """Lines with folders of --probe, whose D or O is a copy of A or V: the attention is wrong, and the copy right."""
    lines = []
    for kind, given, taken in (("copy:8,16", "A", "D"), ("attention:2,4,16,16,32", "V", "O")):
        into = os.path.join(folder, kind)
        subprocess.run([program, f"--probe={kind}", "--type=f16", f"--into={into}"], stdout=subprocess.DEVNULL, check=True)
        for name in os.listdir(into):
            if name[0] == given:
                shutil.copy(os.path.join(into, name), os.path.join(into, taken + name[1:]))
        lines.append([f"--decode={into}"])
    return lines


def maps():
    """Lines with files for --map: of a fragment, of a space of its own, and of what has no formula."""
    path = os.path.join(folder, "map.csv")
    with open(path, "w") as file:
        subprocess.run([program, D, "--format=csv"], stdout=file, check=True)
    other = os.path.join(folder, "other.csv")
    with open(other, "w") as file:
        file.write("warp,slot,bank\n" + "".join(f"{w},{s},{w * 3 + s}\n" for w in range(3) for s in range(4)))
    none = os.path.join(folder, "none.csv")
    with open(none, "w") as file:
        file.write("tid,row\n" + "".join(f"{t},{t * t % 7}\n" for t in range(8)))
    kernel = os.path.join(folder, "kernel.ttgir")
    with open(kernel, "w") as file:
        file.write("#b = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 1], order = [1, 0]}>\n"
                   "func @f(%0: tensor<8x4xf16, #b>)\n")
    return [[kernel], [f"{kernel}#b"], [f"--map={path}", "--verify=row = tid; col = i"], [f"--map={path}", "--at=3,5"],
            [f"--map={path}", f"--convert={D}"], [f"--map={path}"], [f"--map={path}", "--style=short", "--brief"], [f"--map={other}", "--outputs=bank"],
            [f"--map={none}"]]


ATOMS = [f"Layout_{major}_{width}_Atom" for major in ("K", "MN") for width in ("INTER", "SW32", "SW64", "SW128")]


def layouts():
    """Lines with every atom, of each type and source, and with the layouts of smem/matrix_layouts.txt."""
    lines = []
    for atom in [*ATOMS, "Layout_MN_SW128_32B_Atom"]:
        lines += [[atom, f"--type={kind}"] for kind in ("s4", "e4m3", "f16", "tf32", "f64")]
        lines += [[atom, f"--source={source}"] for source in ("isa", "recorded", "isa,recorded") if atom in ATOMS]
    recorded = recorded_cases(os.path.join(HERE, "..", "smem", "matrix_layouts.txt"))
    texts = [question.split("|") for question, word in recorded if "? ?" in word]
    types = {"8": "s8", "16": "f16", "32": "f32", "64": "f64", "4": "s4", "1": "b1"}
    for text, bits, rows, cols in texts:
        if len(text) < 256 and (bits == "0" or bits in types):
            lines.append([text, *([f"--extent={rows},{cols}"] if rows != "0" else []),
                          *([f"--type={types[bits]}"] if bits in types else [])])
    return lines


def shown(entries):
    """Lines with fragments, maps and all, each on the first architecture that has it."""
    return [[entry["fragment"], f"--arch={entry['since']}"] for entry in entries]


def detailed(entries):
    """Lines with all details of fragments, each on the first architecture that has it."""
    return [[entry["fragment"], "--brief", "--detail", f"--arch={entry['since']}"] for entry in entries]


def places(document, path=()):
    """The paths of all objects in a document, of arrays the first element and the last."""
    if isinstance(document, dict):
        yield path
        for name, value in document.items():
            yield from places(value, (*path, name))
    elif isinstance(document, list) and document:
        for n in sorted({0, len(document) - 1}):
            yield from places(document[n], (*path, n))


def at(document, path):
    for step in path:
        document = document[step]
    return document


OPEN = {"formulae", "inverse", "operators", "proved", "only", "replaced"}  # whose members are names of axes or architectures


def spoiled(document):
    """Copies with a member more, with one of another type, and without one, at every object, with what was done."""
    for path in places(document):
        if path and (path[-1] in OPEN or "answers" in path):
            continue
        for how in ("more", "other", "less"):
            one = copy.deepcopy(document)
            target = at(one, path)
            name = next(iter(target))
            if how == "more":
                target["unheard_of"] = 1
            elif how == "other":
                target[name] = [[[-1.5]]]
            else:
                del target[name]
            yield f"{how} at {'/'.join(map(str, path)) or 'the top'}, {name}", one


listed = sample(run(["--list"]), 320)
lines = LINES + maps() + probes() + detailed(listed)
wrong, printed = check(lines)
ok(f"what {len(lines)} command lines print is as the schema says", not wrong, wrong)
why = complaint(listed)
ok("and so is the list of fragments", not why, why)
lines = sample(layouts(), 80) + shown(sample(run(["--list"]), 600))
wrong, _ = check(lines)
ok("and what matrices in memory and fragments print", not wrong, wrong)

overlooked, count, kinds = [], 0, {}
for document in printed:
    first = document[0] if isinstance(document, list) and document else document
    kinds.setdefault(next((k for k in ("rests_on", "verdicts", "steps", "access", "convert", "suggest", "archs", "layout",
                                       "file", "detail", "answers", "map") if k in first), "brief"), first)
for kind, document in kinds.items():
    if kind == "rests_on":
        document = [document]
    if "map" in document:
        document = {**document, "map": document["map"][:1]}
    for how, one in spoiled(document):
        count += 1
        if validator.is_valid(one):
            overlooked.append(f"{kind}: {how}")
refused = [kind for kind, document in kinds.items()
           if not lenient.is_valid([{**document, "new": 1}] if kind == "rests_on" else {**document, "new": 1})]
ok("members that are new are allowed, as the schema says", not refused, str(refused))
ok(f"all of {len(kinds)} kinds were there", len(kinds) == 13, str(sorted(kinds)))
ok(f"all of {count} outputs that were spoiled are noticed", count > 100 and not overlooked, "\n".join(overlooked))
sys.exit(finish())
