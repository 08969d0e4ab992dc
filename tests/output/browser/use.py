"""Tests of pointing, clicking, keys, and finding."""

from expected import fragments
from pages import cell, differ, find, is_in_view, keys, read, test


@test("a click fixes what is shown until Escape or a second click")
def click(browser):
    page = browser.open("--arch=75", "wmma.m16n16k16.d.f32")
    fragment, = fragments(browser.program, "--arch=75", "wmma.m16n16k16.d.f32")

    def shown(what, holder, fixed):
        now = read(page)
        yield from differ(f"{what}: shown", now["said"], fragment.said(holder))
        yield from differ(f"{what}: fixed", now["fixed"], fixed)
    page.hover(cell(0, 1))
    yield from shown("pointed at", (0, 1), False)
    page.click(cell(5, 2))
    yield from shown("clicked", (5, 2), True)
    page.hover(cell(9, 1))
    yield from shown("pointed at another", (5, 2), True)
    page.keyboard.press("Escape")
    yield from differ("fixed after Escape", read(page)["fixed"], False)
    page.hover(cell(9, 0))
    yield from shown("after Escape", (9, 0), False)
    page.click(cell(6, 3))
    page.click(cell(7, 3))
    yield from shown("clicked another", (7, 3), True)
    page.click(cell(7, 3))
    yield from differ("fixed after a second click", read(page)["fixed"], False)
    page.hover(cell(8, 3))
    yield from shown("after a second click", (8, 3), False)


def focused(page):
    """The id of the element with the focus, or tid and i of the cell."""
    return page.evaluate("""() => {
      const {id, dataset} = document.activeElement;
      return 'tid' in dataset ? [Number(dataset.tid), Number(dataset.i)] : id || document.activeElement.tagName;
    }""")


@test("Tab reaches all controls and the grid in the order in which they stand, and shows where it is")
def tab(browser):
    page = browser.open("--arch=70,75", "wmma.m16n16k16.d.f32", "wmma.m16n16k16.a.row.f16")
    order = []
    for _ in range(14):
        page.keyboard.press("Tab")
        order.append(focused(page))
        if order[-1] != "BODY" and page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "none":
            yield f"nothing shows the focus on {order[-1]}"
    wanted = ["fragment", "arch", "compare", "view", "color", "find"]
    yield from differ("order", [name for name in order if name in wanted][:len(wanted)], wanted)
    cells = [place for place, name in enumerate(order) if isinstance(name, list)]
    if not cells or cells[0] < order.index("find"):
        yield f"the grid is not reached after the controls: {order}"
    elif len(order[:cells[0] + 2]) > cells[0] + 1 and isinstance(order[cells[0] + 1], list):
        yield "cells are stops of Tab, each of them"


@test("arrow keys walk over the cells, and stop at the edges")
def arrows(browser):
    for name, arch in [("wmma.m16n16k16.d.f32", 75), ("mma.m16n8k16.a.f16", 80)]:
        fragment, = fragments(browser.program, f"--arch={arch}", name)
        page = browser.open(f"--arch={arch}", name)
        row = col = 0
        page.focus(cell(*fragment.holder_at(0, 0, 0)))
        last = {"Right": fragment.cols, "Down": fragment.rows, "Left": fragment.cols, "Up": fragment.rows}
        walk = ["Up", "Left"] + ["Right"] * last["Right"] + ["Down"] * last["Down"] + ["Left"] * 3 + ["Up"] * 2
        for key in walk:
            page.keyboard.press(f"Arrow{key}")
            row += (key == "Down" and row < fragment.rows - 1) - (key == "Up" and row > 0)
            col += (key == "Right" and col < fragment.cols - 1) - (key == "Left" and col > 0)
            holder = fragment.holder_at(0, row, col)
            yield from differ(f"{key}: the focus", focused(page), list(holder))
            yield from differ(f"{key}: what is shown", read(page)["said"], fragment.said(holder))
            if not is_in_view(page, cell(*holder)):
                yield f"{key}: row {row}, col {col} is not in view"


@test("Enter and Space fix and free, and what is chosen is announced")
def enter(browser):
    page = browser.open("--arch=75", "wmma.m16n16k16.d.f32")
    page.focus(cell(0, 0))
    for key in ("Enter", "Space"):
        page.keyboard.press("ArrowRight")
        now = focused(page)
        page.keyboard.press(key)
        yield from differ(f"fixed by {key}", read(page)["fixed"], True)
        page.hover(cell(20, 2))
        yield from differ("what is shown", read(page)["said"]["holder"], "T%d i%d" % tuple(now))
        page.keyboard.press(key)
        yield from differ(f"freed by {key}", read(page)["fixed"], False)
    page.keyboard.press("ArrowRight")
    said = page.evaluate("Array.from(document.querySelectorAll('[role=status], [aria-live]'), live => live.textContent).join('|')")
    holder = read(page)["said"]["holder"]
    if holder not in said or read(page)["said"]["place"] not in said:
        yield f"{holder} is not announced, but '{said}'"


@test("an element or a thread is found by its place, its holder or its number")
def find_element(browser):
    fragment, = fragments(browser.program, "--arch=75", "wmma.m16n16k16.d.f32")
    page = browser.open("--arch=75", "wmma.m16n16k16.d.f32")
    at = fragment.holder_at(0, 3, 5)
    for text, wanted in [("3,5", at), ("(3, 5)", at), ("row 3 col 5", at), ("row 3, col 5", at), ("Row 3 Col 5", at),
                         ("T13 i2", (13, 2)), ("t13 i2", (13, 2)), ("T13, i2", (13, 2)), ("13:2", (13, 2)), (" 13:2 ", (13, 2)),
                         ("tid 13 i 2", (13, 2)), ("0,0", fragment.holder_at(0, 0, 0)), ("15,15", fragment.holder_at(0, 15, 15)),
                         ("31:7", (31, 7))]:
        find(page, text)
        yield from differ(f"'{text}'", read(page)["said"], fragment.said(wanted))
        yield from differ(f"'{text}': the message", page.text_content("#message"), "")
        if not is_in_view(page, cell(*wanted)):
            yield f"'{text}' is not in view"
    for text in ("T13", "t13", "tid 13"):
        find(page, text)
        said = read(page)["said"]
        yield from differ(f"'{text}'", (said["holder"], said["holds"]), ("T13", fragment.holds(13)))
        yield from differ(f"'{text}': cells", set(said["thread"]), keys(fragment.held_by(13)))


@test("four matrices: an element is found by its block too")
def find_block(browser):
    arguments = "--arch=70", "mma.m8n8k4.a.col.f16"
    fragment, = fragments(browser.program, *arguments)
    page = browser.open(*arguments)
    for text, part in [("2,3,1", 2), ("block 2 row 3 col 1", 2), ("3,1", 0)]:
        find(page, text)
        yield from differ(f"'{text}'", read(page)["said"], fragment.said(fragment.holder_at(part, 3, 1)))


@test("what cannot be found is answered with a sentence, and changes nothing")
def find_wrong(browser):
    page = browser.open("--arch=75", "wmma.m16n16k16.d.f32")
    find(page, "3,5")
    before = read(page)
    yield from differ("role", page.get_attribute("#message", "role"), "status")
    for text in ("16,0", "0,16", "T32", "T3 i8", "3,", ",", "x", "-1,2", "3.5", "1,2,3", "row 3", "i2", "row 3 row 4",
                 "99999999999999999999,0", "T1e1", "0x3,5", "13:", ":2", "(3,5", "<b>3,5</b>", "' onclick='", "__proto__ 3"):
        find(page, text)
        sentence = page.text_content("#message")
        if not sentence.endswith(".") or len(sentence) < 20:
            yield f"'{text}' is answered with '{sentence}'"
        yield from differ(f"after '{text}'", read(page), before)
        yield from differ(f"elements in the answer to '{text}'", page.locator("#message *").count(), 0)
    find(page, "3,6")
    yield from differ("the message once something is found", page.text_content("#message"), "")
