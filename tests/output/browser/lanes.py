"""Tests of Tensor Memory on the page, by the rules of the PTX ISA 9.1, 9.7.16.10.5 and .10.7."""

from pages import differ, find, test


def text_of(page, name):
    return page.locator(f"#info-{name}").text_content()


@test("D of M = 64 is in the lanes that the PTX ISA says, and warps read their own")
def lanes_of_d(browser):
    page = browser.open("--arch=100", "tcgen05.mma.m64n16k16.d.f32")
    found = page.evaluate("""() => Array.from(document.querySelectorAll('#grid td[data-lane]'),
        cell => [cell.dataset.row, cell.dataset.col, cell.dataset.lane, cell.dataset.column].map(Number))""")
    yield from differ("cells", sorted(found),
                      sorted([r, c, r % 16 + r // 16 * 32, c] for r in range(64) for c in range(16)))
    find(page, "17,3")
    yield from differ("17,3", [text_of(page, name) for name in ("holder", "register")],
                      ["lane 33, column 3", "warp 1 of a warpgroup, with tcgen05.ld"])
    find(page, "lane 33 column 5")
    yield from differ("lane 33 column 5", text_of(page, "place"), "row 17, col 5")
    yield from differ("colors", page.locator("#color option").all_text_contents(), ["lane", "column"])


@test("scale factors are said in all their places, and with what shares their 32 bits")
def scale_factors(browser):
    page = browser.open("--arch=100", "tcgen05.mma.m128k64.sfa.2x.ue8m0")
    find(page, "copy 2 id 1 row 37 col 1")
    yield from differ("place", text_of(page, "holder"), "lane 69, column 1, bit 24")
    yield from differ("places", page.locator("#info-copies li").count(), 8)
    wanted = [f"lane 69, column 1, bit {8 * n}: copy 2, id {n // 2}, row 37, col {n % 2}" for n in range(4)]
    yield from differ("32 bits", page.locator("#info-holds li").all_text_contents(), wanted)
