"""Tests of names that look like markup."""

import os

from elements import cells_wrong, records_wrong
from expected import fragments, reports
from pages import ask, differ, pointed_at_by_script, ready, test

NAMES = ["<img src=x onerror=alert(1)>", "script><script>alert(1)<", "<!--<script>", "\" onload='alert(1)' `${alert(1)}` \\",
         "a\u2028b\u2029c", "&lt;b&gt;&amp;", "]]><svg onload=alert(1)>", "</title><h1>", "a\tb\u202ec\x7fd", "'--></style><b>"]
MAP = "tid,i,row,col\n" + "".join(f"{tid},{i},{tid},{i}\n" for tid in range(4) for i in range(2))


@test("names of files that are markup are shown as they are")
def markup(browser):
    for name in NAMES:
        path = os.path.join(browser.folder, "files", name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as file:
            file.write(MAP)
        page = browser.open(f"--map={path}")
        report, = reports(browser.program, f"--map={path}")
        shown = page.text_content("body").replace(page.text_content("#data"), "")
        yield from differ("the name", page.input_value("#fragment"), report["file"])
        if report["file"] not in page.text_content("#title") or report["file"] not in shown:
            yield f"{report['file']!r} is not in the title '{page.text_content('#title')}'"
        if report["file"].split("\x7f")[0] not in page.title():
            yield f"{report['file']!r} is not in the title of the document, '{page.title()}'"
        # The page's own two scripts and one style are all that there may be.
        count = page.evaluate("['script', 'style', 'img', 'svg', 'b', 'h1'].map(tag => document.getElementsByTagName(tag).length)")
        heads = page.locator("#formulae b").count()
        yield from differ(f"elements of {name!r}", count, [2, 1, 0, 0, heads, 1])
        page.reload()
        ready(page)
        yield from differ(f"the message at {page.url}", page.text_content("#message"), "")


@test("a map of one's own is shown as a fragment is")
def own_map(browser):
    path = os.path.join(browser.folder, "own.csv")
    with open(path, "w") as file:
        file.write(MAP)
    fragment, = fragments(browser.program, f"--map={path}")
    page = browser.open(f"--map={path}")
    yield from cells_wrong(ask(page, "readCells('grid')"), fragment)
    yield from records_wrong(pointed_at_by_script(page), fragment)
