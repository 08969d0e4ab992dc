"""Tests of the address bar, which reflects what the page shows."""

from expected import fragments
from pages import cell, differ, items, ready, state_of, test


@test("the address says what is shown, and opens it again")
def address(browser):
    arguments = "--arch=70,75", "wmma.m16n16k16.d.f32", "wmma.m16n16k16.a.row.f16", "mma.m8n8k4.a.col.f16"
    page = browser.open(*arguments)
    steps = [
        ("#arch", "sm_75", {"arch": "sm_75"}), ("#view", "registers", {"view": "registers"}),
        ("#fragment", "mma.m8n8k4.a.col.f16", {"fragment": "mma.m8n8k4.a.col.f16"}),
        ("#fragment", "wmma.m16n16k16.a.row.f16", {"fragment": "wmma.m16n16k16.a.row.f16", "arch": "sm_75"}),
        ("#arch", "sm_70", {"arch": "sm_70"}), ("#view", "matrix", {"view": "matrix"}),
        ("#compare", "sm_75", {"compare": "sm_75"}), (cell(13, 2), None, {"at": "9,2", "part": "1"}),
        ("#color", "element", {}), (cell(1, 3), None, {"at": "1,3"}),
    ]
    for control, value, wanted in steps:
        page.select_option(control, value) if value else page.click(control)
        found = items(page)
        yield from differ(f"after {control}", {name: found.get(name) for name in wanted}, wanted)
        again = browser.open(*arguments, hash=page.evaluate("location.hash"))
        yield from differ(f"opened again after {control}", state_of(again), state_of(page))
    page.reload()
    ready(page)
    yield from differ("reloaded", state_of(page), state_of(again))


def change_address(page, action, argument=None):
    """Does something that changes the address, and waits until the page has seen it, 5 s at most."""
    page.evaluate("""argument => new Promise(done => {
      addEventListener('hashchange', () => setTimeout(done), {once: true});
      setTimeout(done, 5000);
      %s;
    })""" % action, argument)


@test("changing the address changes what is shown, and so do back and forward")
def back(browser):
    arguments = "--arch=70,75", "wmma.m16n16k16.d.f32", "wmma.m16n16k16.a.row.f16"
    page = browser.open(*arguments)
    hashes = ["#fragment=wmma.m16n16k16.d.f32&arch=sm_75&view=matrix&at=3,5",
              "#fragment=wmma.m16n16k16.a.row.f16&arch=sm_70&view=registers&at=3,5&part=1",
              "#fragment=wmma.m16n16k16.d.f32&arch=sm_70&view=matrix&compare=sm_75"]
    states = []
    for hash in hashes:
        change_address(page, "location.hash = argument", hash)
        states.append(state_of(page))
    all_of = {(fragment.name, fragment.arch): fragment for fragment in fragments(browser.program, *arguments)}
    first, second = all_of["wmma.m16n16k16.d.f32", "sm_75"], all_of["wmma.m16n16k16.a.row.f16", "sm_70"]
    yield from differ("first", (states[0]["said"], states[0]["fixed"]), (first.said(first.holder_at(0, 3, 5)), True))
    yield from differ("second", (states[1]["said"], states[1]["fixed"]), (second.said(second.holder_at(1, 3, 5)), True))
    yield from differ("third", states[2]["compare"], "sm_75")
    for go, number in [("back", 1), ("back", 0), ("forward", 1), ("forward", 2)]:
        change_address(page, f"history.{go}()")
        yield from differ(f"{go} to {number}", state_of(page), states[number])


@test("an address that makes no sense is answered with a sentence and what is shown without one")
def nonsense(browser):
    arguments = "--arch=70,75", "wmma.m16n16k16.d.f32", "wmma.m16n16k16.a.row.f16"
    default = state_of(browser.open(*arguments))
    page = browser.open(*arguments)
    for hash in ["#fragment=nothing", "#arch=sm_1", "#fragment=wmma.m16n16k16.d.f32&arch=", "#view=sideways",
                 "#at=16,0", "#at=3", "#at=a,b", "#at=-1,0", "#at=3,5&part=7", "#part=1", "#compare=sm_999",
                 "#fragment=%", "#fragment=%E0%A4%A", "#&&&=", "#x", "#fragment=__proto__", "#fragment=constructor",
                 "#view=__proto__", "#color=toString", "#at=1e1,2", "#at=3,5,7",
                 "#fragment=<img src=x onerror=alert(1)>", "#fragment=%3Cscript%3Ealert(1)%3C/script%3E",
                 "#" + "x" * 100000]:
        for each in ("#fragment=wmma.m16n16k16.d.f32&arch=sm_75&view=registers&at=3,5", hash):
            change_address(page, "location.hash = argument", each)
        sentence = page.text_content("#message")
        if not sentence.endswith(".") or len(sentence) < 20:
            yield f"'{hash[:60]}' is answered with '{sentence[:60]}'"
        yield from differ(f"after '{hash[:60]}'", state_of(page), default)
        yield from differ(f"elements after '{hash[:60]}'", page.locator("#message *, img").count(), 0)
    again = browser.open(*arguments, hash="#fragment=nothing")
    if not again.text_content("#message"):
        yield "a page that is opened with nonsense says nothing"
    again.select_option("#arch", "sm_75")
    yield from differ("the message after a choice", again.text_content("#message"), "")
