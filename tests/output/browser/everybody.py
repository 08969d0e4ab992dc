"""Tests of what screen readers and phones need, and of contrast."""

import importlib.util
import os

from expected import fragments
from pages import PHONE, cell, differ, is_in_view, read, test



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


@test("axe-core finds nothing to say about light, dark, screens and phones")
def axe(browser):
    script = axe_script()
    looks = [(page, scheme, {}) for page in (BLOCKS, COMPARED, REGISTERS, ADDRESSES, MESSAGE) for scheme in ("light", "dark")]
    for (arguments, hash), scheme, options in [*looks, (BLOCKS, "light", PHONE), (ALL, "dark", PHONE)]:
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


@test("formulae stand right below the grid, however much is said beside it")
def gap(browser):
    for arguments, options in [(("--type=b1", "(8,256):(256,1)"), {}), (("--arch=90", "wgmma.m64n256k16.d.f32"), {}),
                               (("--arch=75", "wmma.m16n16k16.d.f32"), PHONE)]:
        page = browser.open(*arguments, hash="#at=3,5", **options)
        grid, formulae = (page.locator(f"#{id}").bounding_box() for id in ("grid", "formulae"))
        below = formulae["y"] - grid["y"] - grid["height"]
        if not 0 <= below < (60 if not options else 400):
            yield f"{arguments}: {below} pixels between them"


@test("without scripts a sentence says what is wrong and what to do")
def no_script(browser):
    page = browser.chromium.new_page(java_script_enabled=False)
    page.goto(browser.file("--arch=75", "wmma.m16n16k16.d.f32"))
    text = page.inner_text("noscript")
    page.close()
    if "script" not in text or "--format=svg" not in text:
        yield f"it says '{text}'"


# ---- Phones ----


@test("phones: nothing is wider than the screen, and everything can be tapped")
def phone(browser):
    for arguments, hash in (BLOCKS, COMPARED, REGISTERS, ADDRESSES, MESSAGE, ALL):
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
