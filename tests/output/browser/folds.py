"""Tests of folded layouts on the page, of the factors of an element of D, of the browser's history, and of names that
share a layout."""

import re

from expected import fragments, reports
from pages import PHONE, ask, cell, differ, find, items, ready, state_of, test

LINE = re.compile(r"(row|column)s (\d+) to (\d+): (.*) for each (\d+) \w+")
PRODUCT = ("--arch=80", "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32")
WGMMA = ("--arch=90", "wgmma.m64n128k16.d.f32")


def unfolded(page):
    """The holder of each (row, col), from the cells and the sentences above them."""
    holders = {(row, col): (tid, i) for _, _, row, col, tid, i, *_ in ask(page, "readCells('grid')")}
    for sentence in page.text_content("#fold span").removeprefix("Only the first period is drawn. ").rstrip(".").split("; "):
        word, first, last, growth, every = LINE.fullmatch(sentence).groups()
        added = {sign: int(number) for sign, number in re.findall(r"([Ti]) \+ (\d+)", growth)}
        for number in range(int(first), int(last) + 1):
            for (row, col), (tid, i) in list(holders.items()):
                if (row if word == "row" else col) == number - int(every):
                    new = (number, col) if word == "row" else (row, number)
                    holders[new] = tid + added.get("T", 0), i + added.get("i", 0)
    return holders


def count(page):
    return page.locator("#grid td[data-part]").count()


for name, arch, drawn in (("wgmma.m64n128k16.d.f32", 90, 16 * 8), ("wgmma.m64n40k16.d.f32", 90, 16 * 8), ("mma.m16n8k256.a.b1", 80, 8 * 8),
                          ("mma.m16n8k64.b.s4", 80, 8 * 8)):
    @test(f"a large layout is folded, and its sentences describe all other cells: {name}", name, arch, drawn)
    def fold(browser, name, arch, drawn):
        page = browser.open(f"--arch={arch}", name, is_folded=True)
        fragment, = fragments(browser.program, f"--arch={arch}", name)
        yield from differ("cells", count(page), drawn)
        yield from differ("holders", unfolded(page), {place[1:]: holder for holder, place in fragment.place.items()})


@test("a button draws all cells, the address says so, and back folds them again")
def whole(browser):
    page = browser.open(*WGMMA, is_folded=True)
    page.click("#whole")
    yield from differ("cells", (count(page), items(page).get("cells")), (64 * 128, "all"))
    again = browser.open(*WGMMA, hash=page.evaluate("location.hash"), is_folded=True)
    yield from differ("cells opened again", count(again), 64 * 128)
    page.go_back()
    page.wait_for_function("document.querySelectorAll('#grid td[data-part]').length < 1000")
    yield from differ("cells after back", (count(page), items(page).get("cells")), (16 * 8, None))
    find(page, "40,100")
    yield from differ("an element found in another period", (count(page), page.text_content("#info-place")), (64 * 128, "row 40, col 100"))
    page.click("#whole")
    yield from differ("folded by the button", count(page), 16 * 8)
    small = browser.open("--arch=80", "mma.m16n8k16.d.f32", is_folded=True)
    yield from differ("a small layout", (count(small), small.is_visible("#fold")), (16 * 8, False))
    matrix = browser.open("Sw<3,3,3> o 0 o (64,64):(64,1)", is_folded=True)
    yield from differ("a swizzle", (count(matrix), matrix.text_content("#fold span")),
                      (8 * 64, "Only the first period is drawn. rows 8 to 63: offset + 512 for each 8 rows."))


def grid_of(page, letter):
    """The id of the grid of an operand."""
    return page.evaluate("letter => document.querySelector(`section.${letter} > div`).id", letter)


def places(page, letter, name):
    """The places, (row, col), of the cells of an operand that have a mark."""
    return {tuple(place) for place in page.evaluate(
        "([id, name]) => Array.from(document.querySelectorAll(`#${id} td.${name}`), cell => [+cell.dataset.row, +cell.dataset.col])",
        [grid_of(page, letter), name])}


# Row m of A and column n of B make D(m, n); A(m, k) is multiplied by row k of B, for row m of D.
@test("a click on D(3,5) names and marks its factors; a click on A or B marks the elements that it is used for")
def made(browser):
    a, b, _ = (next(f for f in fragments(browser.program, *PRODUCT) if f".{letter}." in f.name) for letter in "abd")
    page = browser.open(*PRODUCT)

    def click(letter, row, col):
        page.click(f"#{grid_of(page, letter)} td[data-row='{row}'][data-col='{col}']")
    click("d", 3, 5)
    yield from differ("of A", places(page, "a", "factor"), {(3, k) for k in range(16)})
    yield from differ("of B", places(page, "b", "factor"), {(k, 5) for k in range(16)})
    yield from differ("each k", page.locator("#info-made li").all_text_contents(),
                      ["k {}: A T{} i{}, B T{} i{}".format(k, *a.holder_at(0, 3, k), *b.holder_at(0, k, 5)) for k in range(16)])
    yield from differ("made of", page.text_content("#info-made > span"), "row 3 of A, in T12-15; column 5 of B, in T20-23")
    yield from differ("the formulae", page.text_content("#formulae h2"), "Formulae of D")
    again = browser.open(*PRODUCT, hash=page.evaluate("location.hash"))
    yield from differ("opened again", (state_of(again), again.text_content("#info-title")), (state_of(page), page.text_content("#info-title")))
    click("a", 2, 7)
    yield from differ("A, of B", places(page, "b", "factor"), {(7, n) for n in range(8)})
    yield from differ("A, of D", places(page, "d", "factor"), {(2, n) for n in range(8)})
    yield from differ("A is made of nothing", page.is_visible("#info-made"), False)
    click("b", 9, 4)
    yield from differ("B, of A", places(page, "a", "factor"), {(m, 9) for m in range(16)})
    yield from differ("B, of D", places(page, "d", "factor"), {(m, 4) for m in range(16)})
    page.go_back()
    page.wait_for_function("document.getElementById('info-title').textContent.includes('of A')")
    yield from differ("back", (page.text_content("#info-title"), page.text_content("#info-place")), ("Element of A, selected", "row 2, col 7"))


@test("a matrix in memory stands by element and by address, and an element is marked in both")
def memory(browser):
    layout = "Sw<3,3,3> o 0 o (64,64):(64,1)"
    report, = reports(browser.program, layout)
    for options in ({"is_folded": True}, {}):
        page = browser.open(layout, **options)
        yield from differ("view", items(page).get("view"), "both")
        for grid, other, row, col in (("grid", "grid2", 3, 60), ("grid2", "grid", 7, 2), ("grid2", "grid", 0, 0)):
            page.click(f"#{grid} td[data-row='{row}'][data-col='{col}']")
            marked = page.evaluate("grid => Array.from(document.querySelectorAll(`#${grid} td.counterpart`), cell => "
                                   "[+cell.dataset.row, +cell.dataset.col, +cell.dataset.offset, cell.parentElement.cells[0].textContent])", other)
            offset = report["map"][row][col]
            yield from differ("marked", marked, [[row, col, offset, str(offset * 2 // 128 * 128) if other == "grid2" else str(row)]])
            yield from differ("said", page.text_content("#info-holder"), f"offset {offset}")
            if not page.evaluate("other => { const box = element => element.getBoundingClientRect(), grid = document.getElementById(other), "
                                 "at = box(grid.querySelector('.counterpart')); return at.left >= box(grid).left && "
                                 "at.right <= box(grid).right; }", other):
                yield f"{row},{col} is not in view in {other}"
        again = browser.open(layout, hash=page.evaluate("location.hash"), **options)
        yield from differ("opened again", state_of(again), state_of(page))


@test("back returns to the view and the fragment before")
def history(browser):
    arguments = "--arch=80", "mma.m16n8k16.a.bf16", "wmma.m16n16k16.d.f32"
    page, chosen = browser.open(*arguments), ("fragment", "arch", "view", "color", "fixed")

    def shown():
        return {name: state_of(page)[name] for name in chosen}
    states = [shown()]
    for control, value in (("#view", "registers"), ("#fragment", "wmma.m16n16k16.d.f32"), ("#color", "element")):
        page.select_option(control, value)
        states.append(shown())
    page.click(cell(13, 2))
    for state in reversed(states):
        page.go_back()
        ready(page)
        page.wait_for_timeout(100)
        yield from differ("back", shown(), state)


@test("names that share a layout are listed once, and each can be opened")
def alike(browser):
    arguments = "--arch=90", "mma.m16n8k16"
    page = browser.open(*arguments)
    wanted = sorted(report["fragment"] for report in reports(browser.program, *arguments))
    yield from differ("names", sorted(page.evaluate("namesOf()")), wanted)
    shown = page.locator("#fragment option").all_text_contents()
    maps = {}
    for report in reports(browser.program, *arguments):
        if ".a." in report["fragment"] and "16" in report["fragment"].rsplit(".", 1)[1]:
            maps.setdefault(str(report["map"]), []).append(report["fragment"])
    (names,) = maps.values()
    yield from differ("A of 16 bits", [text for text in shown if ".a." in text and "16" in text.rsplit(".", 1)[1]],
                      ["mma.m16n8k16.a.{%s}" % ",".join(name.rsplit(".", 1)[1] for name in names)])
    for name in wanted:
        again = browser.open(*arguments, hash=f"#fragment={name}&view=matrix")
        yield from differ("opened", (again.input_value("#fragment"), again.text_content("h1")), (name, f"{name} on sm_90"))


@test("controls take at most a third of a phone, and beside a grid of 16 columns each formula takes one line")
def sizes(browser):
    for arguments in (PRODUCT, ("--arch=80", "--all"), ("Sw<3,3,3> o 0 o (64,64):(64,1)",)):
        for size in ({"width": 360, "height": 740}, {"width": 390, "height": 844}):
            page = browser.open(*arguments, **{**PHONE, "viewport": size})
            height = page.evaluate("document.getElementById('controls').offsetHeight")
            if height > size["height"] / 3:
                yield f"{arguments}: controls take {height} of {size['height']} pixels"
    page = browser.open("--arch=80", "wmma.m16n16k16.d.f32")
    width, of_line = page.evaluate("[document.getElementById('formulae').offsetWidth, innerWidth]")
    if width < of_line / 4:
        yield f"formulae have {width} of {of_line} pixels"
