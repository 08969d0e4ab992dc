"""Tests for screen readers, phones, and contrast."""

import importlib.util
import json
import os
import re

from elements import cells_wrong
from expected import fragments, mapping
from pages import PHONE, ask, cell, differ, is_in_view, keys, read, test



# ---- For everybody ----


def axe_script():
    """The text of axe-core, from whichever package has it; None if none does."""
    for package in ("axe_playwright_python", "axe_core_python"):
        found = importlib.util.find_spec(package)
        if found:
            with open(os.path.join(os.path.dirname(found.origin), "axe.min.js"), encoding="utf-8") as file:
                return file.read()
    return None


def axe_wrong(page, what):
    # Of each grid a few rows, as axe takes its time; the contrast of all cells has a test of its own.
    found = page.evaluate("""axe.run({exclude: ['tbody tr:nth-child(n + 4)']},
      {runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']})""")
    for violation in found["violations"]:
        nodes = violation["nodes"]
        yield f"{what}: {violation['id']}: {violation['help']}: {len(nodes)}, the first is {nodes[0]['html'][:150]}"


BLOCKS = ("--arch=70", "mma.m8n8k4.a.col.f16"), "#at=3,1"
COMPARED = ("--arch=70,75", "wmma.m16n16k16.d.f32"), "#compare=sm_75&at=3,5"
REGISTERS = ("--arch=80", "wmma.m8n8k4.d.f64"), "#view=registers&at=3,5"
ADDRESSES = ("(4,8,2):(8,1,32)",), "#view=addresses"
MESSAGE = ("--arch=80", "wmma.m8n8k4.d.f64"), "#x"
ALL = ("--arch=80", "--all"), ""
PRODUCT = ("--arch=80", "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32"), ""


@test("axe-core finds nothing to say about light, dark, screens and phones")
def axe(browser):
    script = axe_script()
    looks = [(page, scheme, {}) for page in (BLOCKS, COMPARED, REGISTERS, ADDRESSES, MESSAGE) for scheme in ("light", "dark")]
    for (arguments, hash), scheme, options in [*looks, (BLOCKS, "light", PHONE), (PRODUCT, "light", {}), (ALL, "dark", PHONE)]:
        page = browser.open(*arguments, hash=hash, color_scheme=scheme, **options)
        page.evaluate(script)
        yield from axe_wrong(page, f"{arguments[-1]} {hash} {scheme}{' phone' if options else ''}")


@test("controls have names, grids are tables with heads, and the structure says so")
def names(browser):
    page = browser.open("--arch=70,75", "wmma.m16n16k16.d.f32", hash="#compare=sm_75")
    tree = page.locator("body").aria_snapshot()
    for wanted in ('combobox "Fragment"', 'combobox "Architecture"', 'combobox "Compare with"', 'combobox "View"',
                   'combobox "Color by"', 'textbox "Find"', "main", "heading", "complementary", 'columnheader "15"',
                   'rowheader "15"', 'gridcell "T0 i0"', "status", 'grid "wmma.m16n16k16.d.f32 on sm_70',
                   'grid "wmma.m16n16k16.d.f32 on sm_75'):
        if wanted not in tree:
            yield f"no {wanted} in what screen readers see"
    yield from differ("language", page.get_attribute("html", "lang"), "en")
    yield from differ("what can be reached by Tab in a grid", page.locator("#grid [tabindex='0']").count(), 1)


def luminance(color):
    def linear(channel):
        channel /= 255
        return channel / 12.92 if channel <= 0.04045 else ((channel + 0.055) / 1.055) ** 2.4
    red, green, blue = (linear(int(part)) for part in color[color.index("(") + 1:-1].split(",")[:3])
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one, other):
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


@test("the text of cells has a contrast of 4.5, in all colors, chosen or not")
def cell_contrast(browser):
    for scheme in ("light", "dark"):
        for by in ("thread", "element"):
            page = browser.open("--arch=80", "mma.m16n8k16.a.f16", color_scheme=scheme, hash=f"#color={by}&at=3,5")
            found = page.evaluate("""() => Array.from(document.querySelectorAll('#grid td[data-part]'), cell =>
              [cell.textContent, getComputedStyle(cell).color, getComputedStyle(cell).backgroundColor])""")
            for text, ink, paper in found:
                if contrast(ink, paper) < 4.5:
                    yield f"{scheme}, by {by}: {text} has {contrast(ink, paper):.2f}, {ink} on {paper}"


WIDE = {"viewport": {"width": 1280, "height": 800}}
SMALL = {**PHONE, "viewport": {"width": 390, "height": 800}}


@test("formulae stand beside the grid on screens, and below it on phones")
def beside(browser):
    for arguments in (("--type=b1", "(8,256):(256,1)"), ("--arch=90", "wgmma.m64n256k16.d.f32"),
                      ("--arch=75", "wmma.m16n16k16.d.f32"), ("--arch=80", "mma.m16n8k16.d.f32")):
        for options in (WIDE, SMALL):
            page = browser.open(*arguments, hash="#at=3,5", **options)
            grid, formulae = (page.locator(f"#{id}").bounding_box() for id in ("grid", "formulae"))
            right, below = formulae["x"] - grid["x"] - grid["width"], formulae["y"] - grid["y"]
            is_right = (0 <= right < 40 and abs(below) < 40) if options is WIDE else 0 <= below - grid["height"] < 400
            if not is_right or formulae["width"] < 200:
                yield f"{arguments}: {right} pixels to the right, {below} down, {formulae['width']} wide"


@test("16 columns fit into 1280 pixels, 8 into 390, and nothing is wider than the page")
def fits(browser):
    for arch, name, options in [(70, "wmma.m16n16k16.a.row.f16", WIDE), (80, "wmma.m16n16k16.d.f32", WIDE), (80, "mma.m16n8k16.a.f16", WIDE),
                                (80, "mma.m16n8k16.d.f32", SMALL), (80, "mma.m16n8k16.b.f16", SMALL)]:
        page = browser.open(f"--arch={arch}", name, **options)
        for what in ("document.getElementById('grid')", "document.scrollingElement"):
            wide, room = page.evaluate(f"[{what}.scrollWidth, {what}.clientWidth]")
            if wide > room:
                yield f"{name}: {what} has {wide} pixels in {room}"
    page = browser.open("--arch=70,75", "wmma.m16n16k16.d.f32", hash="#compare=sm_75", **WIDE)
    yield from differ("two grids side by side: widths", *page.evaluate(
        "['grid', 'grid2'].map(id => document.getElementById(id)).map(grid => [grid.scrollWidth, grid.clientWidth])"
        ".reduce((both, [wide, room]) => [both[0].concat(wide), both[1].concat(room)], [[], []])"))


# ---- The start ----


@test("a page of many fragments opens with the one that the program shows, a page of a few with its first")
def opens_with(browser):
    usual = json.loads(mapping(browser.program, "--format=json"))
    page = browser.open("--arch=70,80", "--all")
    yield from differ("many", page.text_content("#title"), f"{usual['fragment']} on {usual['arch']}")
    page = browser.open("--arch=75", "wmma.m16n16k16.a.row.f16", "wmma.m16n16k16.d.f32")
    yield from differ("a few", page.text_content("#title"), "wmma.m16n16k16.a.row.f16 on sm_75")


@test("the start shows the first element as an example, and what T and i are")
def start(browser):
    for arguments in (("--arch=80", "mma.m16n8k16.d.f32"), ("--arch=70", "wmma.m16n16k16.a.row.f16")):
        fragment, = fragments(browser.program, *arguments)
        page = browser.open(*arguments)
        yield from differ("what is shown", read(page)["said"], fragment.said(fragment.holder_at(0, 0, 0)))
        yield from differ("what is selected", (read(page)["fixed"], "at=" in page.url), (False, False))
        yield from differ("its title", page.text_content("#info-title"), "Example element")
        for word in ("T is the thread", "i is the index of the element"):
            if word not in page.inner_text("#legend"):
                yield f"the legend says '{page.inner_text('#legend')}'"
        page.hover(cell(*fragment.holder_at(0, 1, 1)))
        yield from differ("the title of another", page.text_content("#info-title"), "Element")
    phone = browser.open("--arch=80", "mma.m16n8k16.d.f32", **SMALL)
    yield from differ("what covers the grid of a phone at the start", phone.evaluate("getComputedStyle(document.getElementById('info')).position"), "static")


@test("a page says nothing about the command line, and not that a GPU is missing")
def no_options(browser):
    for arguments in ((), ("--arch=100", "tcgen05.mma.m64n16k16.d.f32"), ("--type=f16", "Layout_MN_SW128_32B_Atom"),
                      ("--arch=80", "mma.m16n8k16"), ("--arch=90", "wgmma.m64n8k16.d.f32"), ("--arch=120", "mma.m16n8k64.sfa.2x.ue8m0")):
        page = browser.open(*arguments)
        for word in (" --", "GPU here", "command"):
            if word in page.inner_text("body"):
                text = page.inner_text("body")
                yield f"{arguments}: '{text[max(0, text.index(word) - 60):][:120]}'"


@test("without scripts a sentence says what is wrong")
def no_script(browser):
    page = browser.chromium.new_page(java_script_enabled=False)
    page.goto(browser.file("--arch=75", "wmma.m16n16k16.d.f32"))
    text = page.inner_text("noscript")
    page.close()
    yield from differ("it says", text, "This page needs JavaScript, which is turned off.")


# ---- A, B and D ----


@test("an opcode opens with A, B and D as the product is written")
def product(browser):
    for arch, opcode, letters in [(80, "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", "abd"),
                                  (70, "wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32", "abd"),
                                  (90, "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16", "ad")]:
        page = browser.open(f"--arch={arch}", opcode, **WIDE)
        of = {re.search(r"\.([abcd])\.", fragment.name).group(1): fragment for fragment in fragments(browser.program, f"--arch={arch}", opcode)}
        yield from differ(f"{opcode}: the view", page.input_value("#view"), "product")
        titles = page.locator("#grids h2:visible").all_text_contents()
        yield from differ(f"{opcode}: titles", titles, [f"{letter.upper()}: {of[letter].name}" for letter in letters])
        boxes = dict(zip(letters, (page.locator(f"#{id}").bounding_box() for id in ("grid", "grid2", "grid3"))))
        for id, letter in zip(("grid", "grid2", "grid3"), letters):
            yield from cells_wrong(ask(page, f"readCells('{id}')"), of[letter])
        yield from differ(f"{opcode}: A and D begin on one line, A ends left of D",
                          (boxes["a"]["y"] == boxes["d"]["y"], boxes["a"]["x"] + boxes["a"]["width"] < boxes["d"]["x"]), (True, True))
        if "b" in letters:
            yield from differ(f"{opcode}: B and D begin below each other, B ends above D",
                              (boxes["b"]["x"] == boxes["d"]["x"], boxes["b"]["y"] + boxes["b"]["height"] < boxes["d"]["y"]), (True, True))
        last = ("grid", "grid2", "grid3")[len(letters) - 1]
        page.hover(cell(5, 1, last))
        wanted = of["d"].said((5, 1))
        yield from differ(f"{opcode}: an element of D", [read(page)["said"][name] for name in ("place", "holder", "register", "holds")],
                          [wanted[name] for name in ("place", "holder", "register", "holds")])
        yield from differ(f"{opcode}: its title", page.text_content("#info-title"), "Element of D")
        yield from differ(f"{opcode}: what T5 holds of A", set(read(page)["said"]["thread"]), keys(of["a"].held_by(5)))
    page = browser.open("--arch=80", "--all", hash="#fragment=mma.m16n8k16.d.f16&view=product")
    types = [re.sub(r".*\.", "", title) for title in page.locator("#grids h2:visible").all_text_contents()]
    yield from differ("D of f16 stands with A and B of one type", (types[0], len(types)), ("f16", 3))
    page.select_option("#fragment", "ldmatrix.m8n8.x4.r.b16")
    yield from differ("a fragment of no product", (page.input_value("#view"), page.locator("#grids h2:visible").count()), ("matrix", 0))


# ---- Phones ----


@test("phones: nothing is wider than the screen, and everything can be tapped")
def phone(browser):
    for arguments, hash in (BLOCKS, COMPARED, REGISTERS, ADDRESSES, MESSAGE, ALL, PRODUCT):
        page = browser.open(*arguments, hash=hash, **PHONE)
        sizes = page.evaluate("[document.scrollingElement.scrollWidth, innerWidth, visualViewport.scale]")
        yield from differ(f"{arguments}: widths of the document and of the screen, and scale", sizes, [360, 360, 1])
        for control in page.locator("select:visible, input:visible, button:visible").all():
            control.scroll_into_view_if_needed()
            box = control.bounding_box()
            if box["x"] < 0 or box["x"] + box["width"] > 360 or min(box["width"], box["height"]) < 24:
                yield f"{arguments}: {control.get_attribute('id')} is at {box}"


@test("phones: a tap shows the element, and what is said is in sight")
def tap(browser):
    for arguments in (("--arch=75", "wmma.m16n16k16.d.f32"), ("--arch=70", "wmma.m16n16k16.a.row.f16")):
        fragment, = fragments(browser.program, *arguments)
        page = browser.open(*arguments, **PHONE)
        for place in [(0, 0), (3, 5), (15, 15), (8, 1)]:
            holder = fragment.holder_at(0, *place)
            page.tap(cell(*holder))
            now = read(page)
            yield from differ(f"tapped {place}", (now["said"], now["fixed"]), (fragment.said(holder), True))
            for id in ("info-place", "info-holder", "info-register"):
                if not is_in_view(page, f"#{id}"):
                    yield f"#{id} is not in sight after a tap on {place}"
            if not page.evaluate("""selector => {
              const cell = document.querySelector(selector), box = cell.getBoundingClientRect();
              return document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2) === cell;
            }""", cell(*holder)):
                yield f"the cell at {place} is covered after the tap"
        page.tap(cell(*holder))
        yield from differ("fixed after a second tap", read(page)["fixed"], False)
