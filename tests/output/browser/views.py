"""Tests of views, colors, architectures side by side, and matrices in memory."""

from elements import cells_wrong
from expected import Memory, fragments, reports
from pages import ask, cell, differ, find, keys, pointed_at_by_script, read, test


# ---- Registers, colors, names ----


@test("the head of a row in the view of registers shows all of the thread")
def thread_heads(browser):
    for arguments in (("--arch=80", "mma.m16n8k16.a.f16"), ("--arch=70", "mma.m8n8k4.a.col.f16")):
        fragment, = fragments(browser.program, *arguments)
        page = browser.open(*arguments, hash="#view=registers")
        for tid in (13, 14, 31, 0):
            if tid == 14:
                page.focus(cell(tid, 0))
                page.keyboard.press("ArrowLeft")
            else:
                page.hover(f"#grid [data-thread='{tid}']")
            said = read(page)["said"]
            yield from differ(f"T{tid}", (said["holder"], said["holds"]), (f"T{tid}", fragment.holds(tid)))
            yield from differ(f"cells of T{tid}", set(said["thread"]), keys(fragment.held_by(tid)))
        yield from differ("heads", page.locator("#grid [data-thread]").count(), 1 + max(tid for tid, _ in fragment.place))


def colors(page):
    """Of each cell its tid, i, bank and color."""
    return page.evaluate("""() => Array.from(document.querySelectorAll('#grid td[data-part]'), cell =>
      [cell.dataset.tid, cell.dataset.i, cell.dataset.bank, getComputedStyle(cell).backgroundColor])""")


def colors_wrong(page, of, count):
    """The errors in colors that should represent number `of` of a cell, out of that many numbers."""
    groups = {}
    for found in colors(page):
        groups.setdefault(found[of], set()).add(found[3])
    yield from differ("groups", len(groups), count)
    yield from (f"{group} has the colors {found}" for group, found in groups.items() if len(found) > 1)
    yield from differ("colors", len(set.union(*groups.values())), count)


@test("colors stand for threads, elements or banks, as is chosen")
def color_by(browser):
    page = browser.open("--arch=75", "wmma.m16n16k16.d.f32")
    yield from colors_wrong(page, 0, 32)
    page.select_option("#color", "element")
    yield from colors_wrong(page, 1, 8)
    page = browser.open("--arch=75", "wmma.m16n16k16.d.f32", "--color-by=element")
    yield from differ("--color-by", page.input_value("#color"), "element")
    yield from colors_wrong(page, 1, 8)
    page = browser.open("(16,64):(64,1)")
    yield from colors_wrong(page, 2, 32)


@test("names can be narrowed down")
def narrow(browser):
    page = browser.open("--all", "--arch=80")
    page.fill("#filter", "m16n8k16 bf16")
    names = page.evaluate("namesOf()")
    wanted = [fragment["fragment"] for fragment in reports(browser.program, "--all", "--arch=80")]
    now = page.input_value("#fragment")
    yield from differ("names", sorted(names), sorted(
        name for name in wanted if name == now or ("m16n8k16" in name and "bf16" in name)))



# ---- Architectures side by side ----


def holders_by_place(fragment):
    return {(fragment.part(holder), *place[1:]): holder for holder, place in fragment.place.items()}


@test("two architectures side by side: what differs is marked, and nothing else")
def compare(browser):
    arguments = "--arch=70,75,80", "wmma.m16n16k16.d.f32", "wmma.m16n16k16.a.row.f16"
    all_of = {(fragment.name, fragment.arch): fragment for fragment in fragments(browser.program, *arguments)}
    page = browser.open(*arguments)
    for name, first, second in [("wmma.m16n16k16.d.f32", "sm_70", "sm_75"), ("wmma.m16n16k16.d.f32", "sm_75", "sm_80"),
                                ("wmma.m16n16k16.d.f32", "sm_80", "sm_70"), ("wmma.m16n16k16.a.row.f16", "sm_70", "sm_75")]:
        for view in ("matrix", "registers"):
            page.select_option("#fragment", name)
            page.select_option("#compare", "")
            page.select_option("#arch", first)
            page.select_option("#compare", second)
            page.select_option("#view", view)
            left, right = all_of[name, first], all_of[name, second]
            yield from compare_wrong(page, left, right, view)
    page.select_option("#compare", "")
    yield from differ("marks that are left", page.locator(".differs").count(), 0)
    if page.is_visible("#grid2"):
        yield "the second grid is still there"


def compare_wrong(page, left, right, view):
    maps = [fragment.place if view == "registers" else holders_by_place(fragment) for fragment in (left, right)]
    different = [{key for key in own if own[key] != other.get(key)} for own, other in (maps, maps[::-1])]
    for grid, wanted, fragment in zip(("grid", "grid2"), different, (left, right)):
        yield from cells_wrong(ask(page, f"readCells('{grid}')"), fragment, view == "matrix")
        marked = page.evaluate("""grid => Array.from(document.querySelectorAll(`#${grid} .differs`),
          cell => ['part', 'row', 'col', 'tid', 'i'].map(name => Number(cell.dataset[name])))""", grid)
        found = {tuple(cell[3:] if view == "registers" else cell[:3]) for cell in marked}
        if found != wanted:
            yield f"{left.name}, {left.arch} and {right.arch}, {view}, #{grid}: {len(found)} are marked, not {len(wanted)}"


@test("a cell of the second grid is shown as what its architecture has")
def compare_hover(browser):
    arguments = "--arch=70,75", "wmma.m16n16k16.d.f32"
    left, right = fragments(browser.program, *arguments)
    page = browser.open(*arguments, hash="#compare=sm_75")
    for grid, fragment in (("grid2", right), ("grid", left)):
        page.hover(cell(5, 3, grid))
        said, wanted = read(page)["said"], fragment.said((5, 3))
        for what in ("place", "holder", "register", "holds", "copies", "row", "col"):
            yield from differ(f"#{grid}: {what}", said[what], wanted[what])
        yield from fragment.formulae_wrong((5, 3), read(page)["formulae"])


# ---- Matrices in memory ----


@test("matrices in memory: stages, offsets and banks, in both views")
def memory(browser):
    for type, bits, name in [("f16", 16, "(4,8,2):(8,1,32)"), ("f32", 32, "Sw<2,3,3> o 0 o (16,32):(32,1)"),
                             ("s8", 8, "(8,40):(48,1)"), ("f64", 64, "(8,8):(1,8)")]:
        report, = reports(browser.program, f"--type={type}", name)
        matrix = Memory(report, bits)
        page = browser.open(f"--type={type}", name)
        for view in ("matrix", "addresses"):
            page.select_option("#view", view)
            cells = ask(page, "readCells('grid')")
            yield from differ(f"{name}, {view}: cells", sorted((stage, row, col) for _, _, row, col, _, _, stage, _, _ in cells),
                              sorted(matrix.offset))
            for text, _, row, col, _, _, stage, offset, bank in cells:
                place = stage, row, col
                yield from differ(f"{name} {place}", (offset, bank), (matrix.offset[place], matrix.bank(place)))
                if view == "matrix":
                    yield from differ(f"text of {place}", text, str(offset))
            yield from memory_wrong(pointed_at_by_script(page), matrix)
        yield from memory_find(page, matrix)


def memory_wrong(records, matrix):
    stages = 1 + max(stage for stage, _, _ in matrix.offset)
    for place, offset in matrix.offset.items():
        record = records["%d,%d,%d" % place]
        stage = f"stage {place[0]}, " if stages > 1 else ""
        yield from differ(f"{matrix.name} {place}", record["said"]["place"], stage + f"row {place[1]}, col {place[2]}")
        if str(offset) not in record["said"]["holder"] or f"bank {matrix.bank(place)}" not in record["said"]["register"]:
            yield f"{place}: offset {offset}, bank {matrix.bank(place)} are not in {record['said']}"
        wanted = offset, str(offset)
        line = record["formulae"]["offset"]
        yield from differ(f"{place}: {line}", (eval(line.split(" = ")[2]), line.split(" = ")[-1]), wanted)


def memory_find(page, matrix):
    place = max(matrix.offset)
    offset = matrix.offset[place]
    for text in (",".join(map(str, place)) if place[0] else "%d,%d" % place[1:], f"offset {offset}"):
        find(page, text)
        found = page.evaluate("Array.from(document.querySelectorAll('#grid td.current'), cell => Number(cell.dataset.offset))")
        yield from differ(f"{matrix.name}: '{text}'", found, [offset])
