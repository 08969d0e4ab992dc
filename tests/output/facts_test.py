"""Compares the lines that text prints above a layout with the facts of JSON, Markdown, the page and pictures.

    facts_test.py MAPPING     prints TAP

Every format must state every fact of every fragment. Text is wrapped, and also has hints about the command line, which
begin with an option and are not facts; Markdown has capitals, code and periods.
"""
import html
import json
import os
import re
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from library import output  # noqa: E402
from tap import architectures, finish, ok, sample  # noqa: E402

MAPPING = sys.argv[1]
AT_ONCE = 2  # pictures have a limit
OTHERS = [
    ["-a80", "HMMA.16816.F32"], ["-a70", "HMMA.884.F32.F32.STEP0"], ["-a80", "mma.m16n8k16", "--atom-layout=(2,2)", "--permutation=64,64,16"],
    ["-a100a", "tcgen05.mma.m128n64k16.d.f32", "--with=tcgen05.ld.32x32b.x16"],
    ["-a100a", "tcgen05.mma.m128n64k16.a.f16", "--with=tcgen05.st.32x32b.x8"],
]
MATRICES = [
    ["Layout_K_SW128_Atom<half_t>"], ["Layout_MN_SW64_Atom<float>"], ["(64,64):(64,1)"], ["--axes=n,k", "(64,64):(1,64)"],
    ["Sw<3,4,3> o smem_ptr[16b](0x420) o (8,64):(64,1)"],  # has a note
]
SCALES = [["128x4"], ["--extent=200,12", "128x4"], ["8x4"], ["columnwise"], ["mn-major"], ["blk128"], ["hopper-mx<4>"], ["nvfp4-kv-v"], ["SWIZZLE_32_4_4"]]
LOADS = [
    ["128x4", "-a120a", "--load=mma.m16n8k64.sfa.2x.ue8m0"], ["128x4", "-a120a", "--load=mma.m16n8k64.sfa.4x.ue4m3"],
    ["128x4", "-a120a", "--store=mma.m16n8k64.sfa.2x.ue8m0"], ["((16,4),64):((1,32),128)", "-a120a", "--type=e2m1", "--load=mma.m16n8k32.a.e2m1"],
    ["(64,64):(1,64)", "-a100a", "--type=e4m3", "--load=mma.m16n8k32.a.e4m3"],
]
NOTHING = "No known fragment, tile or memory layout is the same."


def run(*words):
    return output(MAPPING, *words, statuses=(0, 4))


def of_text(words):
    """For each layout the comments above it, each in one line. With --brief, a matrix in memory has no size."""
    found, brief = [], ["--brief"] if words not in MATRICES else []
    for part in re.split(r"(?:\A|(?<=\n\n))(?=# )", run(*words, *brief))[1:]:
        above = re.match(r"(#.*\n)*", part)[0].replace("\n#   ", " ")
        found.append([line[2:] for line in above.splitlines()[1:] if not line.startswith("# --")])
    return found


def of_json(words):
    found = json.loads(run(*words, "--brief", "--format=json"))
    return [[fact["text"] for fact in one["facts"]] for one in (found if isinstance(found, list) else [found])]


def plain(fact):
    """Without what Markdown adds."""
    fact = re.sub(r"[`\\]", "", fact).rstrip(".")
    return fact[:1].lower() + fact[1:]


def of_markdown(words):
    found = []
    for part in re.split(r"(?m)^(?=### )", run(*words, "--brief", "--format=markdown"))[1:]:
        found.append([plain(line) for line in part.partition("\n|")[0].splitlines()[1:] if line])
    return found


def without_blanks(text):
    return re.sub(r"\s+", "", text)


def of_page(words):
    """The page has its data as JSON in a script."""
    return without_blanks(run(*words, "--format=html").replace(r"\u003c", "<").replace(r"\u003e", ">").replace(r"\"", '"'))


def of_picture(words):
    return without_blanks(html.unescape(re.sub(r"<[^>]*>", " ", run(*words, "--format=svg", "--whole"))))


def compare(words):
    """The facts that a format lacks, or has in addition."""
    expected, wrong = of_text(words), []
    for name, found in (("JSON", of_json(words)), ("Markdown", of_markdown(words))):
        stated = [[plain(fact) for fact in facts] for facts in expected] if name == "Markdown" else expected
        wrong += [f"{name}: {theirs}, not {ours}" for ours, theirs in zip(stated, found) if ours != theirs]
        wrong += [f"{name}: {len(found)} layouts, not {len(stated)}"] if len(found) != len(stated) else []
    every = {fact for facts in expected for fact in facts}
    for name, found in (("page", of_page(words)), ("picture", of_picture(words))):
        merged = ("with ", "columns ") if name == "page" else ()  # the loads of an operand are one layout there
        wrong += [f"{name}: no '{fact}'" for fact in sorted(every) if not fact.startswith(merged) and without_blanks(fact) not in found]
        wrong += [f"{name}: {hint}" for hint in ("--with=tcgen05", "--arch=ARCH") if name == "picture" and hint in found]
    if not all(expected):
        wrong.append("a layout without facts")
    return len(expected), wrong


def report(name, batches):
    results = [compare(words) for words in batches]
    ok(f"{name}: {sum(count for count, _ in results)} layouts", results and not any(wrong for _, wrong in results),
       "\n".join(line for _, wrong in results for line in wrong))


listed = json.loads(run("--list", "--format=json", "--arch=all"))
every = [(arch, one["fragment"]) for arch in architectures(MAPPING) for one in listed if arch in one["native"] + one["emulated"]]
chosen = set(sample(every, 70))
for arch in architectures(MAPPING):
    # At least one fragment of each instruction of the architecture.
    one_of_each = {one["instruction"]: one["fragment"] for one in listed if arch in one["native"] + one["emulated"]}
    names = [name for on, name in every if on == arch and ((on, name) in chosen or name in one_of_each.values())]
    report(arch, [["--detail", "-a", arch, *names[n:n + AT_ONCE]] for n in range(0, len(names), AT_ONCE)])
report("opcodes, tiles and loads", [["--detail", *words] for words in OTHERS])
report("matrices in memory", MATRICES)
report("layouts of scale factors", [["--detail", *words] for words in SCALES])

# Notes above a load or store, but those on its axes and its addresses.
for words in LOADS:
    above = re.match(r"(#.*\n)*", run(*words))[0].replace("\n#   ", " ").splitlines()[1:-1]
    notes = [line[2:] for line in above if not re.match(r"# (rows are|elements are) ", line)]
    first = json.loads(run(*words, "--json"))
    stated = [[fact["text"] for fact in one["facts"]] for one in (first if isinstance(first, list) else [first])]
    ok(f"notes on {' '.join(words)}", notes and all(one == notes for one in stated), f"{notes}, {stated}")

# Sentences about descriptors, which text prints below the formulae of a matrix.
for words in (["Layout_MN_SW128_32B_Atom<float>"], ["Layout_MN_SW128_32B_Atom<half_t>"], ["--extent=64,16", "Layout_MN_SW128_32B_Atom<float>"]):
    said, stated = " ".join(run(*words).split()), json.loads(run(*words, "--json"))
    sentence = stated.get("descriptor_lacks") or stated["tcgen05_descriptor"]["note"]
    ok(f"a sentence about descriptors of {words[-1]}", sentence in said and len(re.findall("With this swizzle|One instruction|The stride byte", said)) == 1, f"{sentence}\n{said}")

# Facts of --detail alone that text prints as lines.
for name in ("tcgen05.mma.m128n256k16.d.f32", "tcgen05.mma.m128n256k64.d.f32"):
    lines = re.findall(r"(0x\w{8}) of kind::(\w+) with A and B of (\w+)(?:, scales of (\w+))?;", run("-a100a", name, "--detail"))
    stated = json.loads(run("-a100a", name, "--detail", "--json"))["detail"]["instruction_descriptors"]
    ok(f"instruction descriptors of {name}", lines and lines == [(one["value"], one["mma_kind"], one["type"], one["scale_type"] or "") for one in stated], f"{lines}, {stated}")
for words in (["-a120a", "mma.m16n8k32.a.e2m1"], ["-a70", "mma.m8n8k4.d.f16"], ["-a90", "wgmma.m64n64k32.d.s32"], ["-a75", "ldmatrix.m8n8.x4.p.b16"],
              ["-a100a", "tcgen05.mma.m128n64k16.d.f32", "--with=tcgen05.ld.32x32b.x64"]):
    lines = run(*words, "--detail").partition("\nDetail:\n")[2].splitlines()
    found = run(*words, "--detail", "--format=markdown").splitlines()
    in_table = ("registers ", "elements ", "since ", "matrix ")
    lacking = [line for line in lines if line not in found and not line.startswith(in_table)]
    separate = any("separate" in line and line not in found for line in lines)
    ok(f"Markdown has the detail of {words[1]}", len(lines) > 6 and not lacking and not separate, "\n".join(lacking))
# What to wait for, by keys: tcgen05.mma signals an mbarrier, loads and stores have tcgen05.wait (PTX ISA 9.0, section 9.7.16.6).
for words, keys, waits in ((["tcgen05.mma.m128n64k16.d.f32"], ["done"], "tcgen05.commit"), (["tcgen05.ld.16x64b.x4.r.b32"], ["done"], "tcgen05.wait::ld"),
                           (["tcgen05.mma.m128n64k16.d.f32", "--with=tcgen05.ld.32x32b.x64"], ["before", "done"], "tcgen05.wait::ld"),
                           (["tcgen05.mma.m128n64k16.a.f16", "--with=tcgen05.st.32x32b.x8"], ["done"], "tcgen05.wait::st")):
    found = re.findall(r"(?m)^(before|done) {5,7}(.*(?:\n {11}.*)*)", run("-a100a", *words, "--detail"))
    stated = json.loads(run("-a100a", *words, "--detail", "--json"))["detail"].get("facts", [])
    ok(f"waits of {' '.join(words)}", [key for key, _ in found] == keys and waits in found[-1][1]
       and [(key, " ".join(text.split())) for key, text in found] == [(one["key"], one["text"]) for one in stated], f"{found}, {stated}")
words = ["-a120a", "mma.m16n8k64.d.f32", "--convert=mma.m16n8k64.sfa.2x.ue8m0"]
lines = re.findall(r"(?m)^# (.*(?:\n#   .*)*)", run(*words))[1:]
stated = json.loads(run(*words, "--json"))["scales"].get("facts", [])
ok("scale factors of a conversion", len(lines) == 5 and [line.replace("\n#  ", "") for line in lines] == [one["text"] for one in stated], f"{lines}, {stated}")
words = ["-a80", "mma.m16n8k16.d.f32", "--at=3,5", "--detail"]
lines = [line[11:] for line in re.search(r"(?m)^product    .*\n(           .*\n)*", run(*words))[0].splitlines()]
stated = json.loads(run(*words, "--json"))["detail"]["product"]
ok("the elements of A and B that make one of D", lines == stated, f"{lines}, {stated}")
descriptor = json.loads(run(*MATRICES[0], "--json"))["tcgen05_descriptor"]
ok("no hardware confirmed a descriptor of tcgen05.mma", "; not confirmed on hardware" in run(*MATRICES[0]) and not descriptor["confirmed"], str(descriptor))
ok("one of them has a note", any(fact.startswith("note: ") for words in MATRICES for facts in of_text(words) for fact in facts))
with tempfile.TemporaryDirectory() as folder:
    table = os.path.join(folder, "table.csv")
    with open(table, "w", encoding="ascii") as file:
        file.write("tid,i,row,col\n" + "".join(f"{tid},{i},{tid // 4},{tid % 4 * 2}\n" for tid in range(32) for i in range(4)))
    said = [run(f"--map={table}"), of_page([f"--map={table}"]), of_picture([f"--map={table}"])]
    ok("a table that is no known layout", all(without_blanks(NOTHING) in without_blanks(text) for text in said), "\n".join(said))
    with open(table, "w", encoding="ascii") as file:  # the sum of two coordinates is not linear over bits
        file.write("tid,i,row,col\n" + "".join(f"{tid},{i},{tid // 4},{(tid % 4 * 2 + i + tid // 4) % 8}\n" for tid in range(32) for i in range(2)))
    words = ["-a80", table, "--convert=mma.m8n8k16.d.s32"]
    said, stated = run(*words), json.loads(run(*words, "--json"))
    ok("why a conversion needs shared memory", "only layouts that are\nlinear over bits" in said and (stated["kind"], stated["reason"]) == ("memory", "not-linear"), said)
sys.exit(finish())
