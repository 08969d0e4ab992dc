"""Tests of the text about every element and every cell."""

from expected import fragments
from pages import ask, differ, items, keys, pointed_at, pointed_at_by_script, test


def records_wrong(records, fragment):
    """The errors in the text about each element of a fragment."""
    yield from differ(f"{fragment.name}: pointed at", records.keys() ^ keys(fragment.place), set())
    for holder in fragment.place:
        record = records.get("%d:%d" % holder)
        if record is None:
            continue
        for what, wanted in fragment.said(holder).items():
            yield from differ(f"{fragment.name} T{holder[0]} i{holder[1]}: {what}", record["said"][what], wanted)
        yield from fragment.formulae_wrong(holder, record["formulae"])


def cells_wrong(cells, fragment, is_matrix=True):
    """The errors in the cells of a grid: text, part, row, col, tid, i."""
    wanted = {}
    for (tid, i), (block, row, col) in fragment.place.items():
        text = f"T{tid} i{i}" if is_matrix else f"({f'b{block} ' if fragment.blocks > 1 else ''}{row},{col})"
        wanted[tid, i] = [text, fragment.part((tid, i)), row, col, tid, i]
    yield from differ(f"{fragment.name}: number of cells", len(cells), len(wanted))
    for found in cells:
        yield from differ(f"{fragment.name}: a cell", found[:6], wanted.get(tuple(found[4:6])))


def every_element(browser, arguments, hash="", point=pointed_at):
    """Opens the page of one fragment and compares all that is said of each of its elements."""
    fragment, = fragments(browser.program, *arguments)
    page = browser.open(*arguments, hash=hash, viewport={"width": 1600, "height": 1000})
    yield from cells_wrong(ask(page, "readCells('grid')"), fragment, "registers" not in hash)
    yield from records_wrong(point(page), fragment)


for arch, name, what in [
        (75, "wmma.m16n16k16.d.f32", "an accumulator"), (80, "mma.m16n8k16.a.f16", "two elements a register"),
        (70, "wmma.m16n16k16.a.row.f16", "copies"), (70, "mma.m8n8k4.a.col.f16", "four matrices"),
        (80, "wmma.m8n8k4.d.f64", "two registers an element"), (80, "ldmatrix.m8n8.x4.p.b16", "addresses")]:
    test(f"every element under the mouse: {what}, {name}", (f"--arch={arch}", name))(every_element)
for arch, name in [(80, "mma.m8n8k32.a.s4"), (80, "mma.m8n8k128.b.b1"), (90, "wgmma.m64n24k16.d.f32"),
                   (80, "mma.sp.m16n8k16.e.f16"), (120, "mma.m16n8k64.sfa.2x.ue8m0"), (120, "mma.m16n8k32.a.e2m1")]:
    test(f"every element, pointed at by script: {name}", (f"--arch={arch}", name), "", pointed_at_by_script)(every_element)
for style in ("short", "divide"):
    test(f"formulae of --style={style} have their numbers put in",
         ("--arch=80", "mma.m16n8k16.a.f16", f"--style={style}"), "", pointed_at_by_script)(every_element)
for arch, name in [(80, "mma.m16n8k16.a.f16"), (70, "wmma.m16n16k16.a.row.f16"), (70, "mma.m8n8k4.a.col.f16")]:
    test(f"the view of registers says the same: {name}",
         (f"--arch={arch}", name), "#view=registers", pointed_at_by_script)(every_element)


@test("every cell of every fragment of sm_80, chosen one after another")
def all_fragments(browser):
    page = browser.open("--all", "--arch=80")
    wanted = {fragment.name: fragment for fragment in fragments(browser.program, "--all", "--arch=80")}
    names = page.evaluate("namesOf()")
    yield from differ("names", sorted(names), sorted(wanted))
    for name in names:
        yield from cells_wrong(ask(page, f"(chooseName('{name}'), readCells('grid'))"), wanted[name])
        yield from differ("the address", items(page)["fragment"], name)
