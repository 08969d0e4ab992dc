"""Opens pages of --format=html in a browser, and reads them."""

import json
import os
import urllib.parse

from expected import mapping

TESTS = []
PHONE = {"viewport": {"width": 360, "height": 740}, "has_touch": True, "is_mobile": True, "device_scale_factor": 2}


def test(name, *arguments, alone=False):
    """Makes a test from a function that yields errors, given a browser and the arguments. A test that measures time
    runs alone."""
    def add(function):
        TESTS.append((name, function, arguments, alone))
        return function
    return add


def differ(what, got, wanted):
    if got != wanted:
        yield f"{what}: {got!r}, not {wanted!r}"


# ---- Functions in the page ----

READER = """
addEventListener('securitypolicyviolation', event => console.error('violates ' + event.violatedDirective));
window.keyOf = cell => 'tid' in cell.dataset ? `${cell.dataset.tid}:${cell.dataset.i}`
  : `${cell.dataset.stage},${cell.dataset.row},${cell.dataset.col}`;
window.numberOf = (element, name) => name in element.dataset ? Number(element.dataset[name]) : null;
window.cellsOf = grid => Array.from(document.querySelectorAll(`#${grid} td[data-part]`));

// What the page says of the current element, and the cells that it marks.
window.readPage = () => {
  const text = id => document.getElementById(id).textContent;
  const items = id => Array.from(document.querySelectorAll(`#${id} li`));
  const marked = name => Array.from(document.querySelectorAll(`#grid td.${name}`), keyOf).sort();
  return {
    said: {
      place: text('info-place'), holder: text('info-holder'), register: text('info-register'),
      holds: items('info-holds').map(item => [item.textContent, ...['i', 'row', 'col', 'block'].map(name => numberOf(item, name))]),
      copies: items('info-copies').map(item => item.textContent), row: text('info-row'), col: text('info-col'),
      current: marked('current'), thread: marked('same-thread'), element: marked('same-element'),
    },
    formulae: Object.fromEntries(Array.from(document.querySelectorAll('#formulae [data-axis]'),
      line => [line.dataset.axis, line.textContent])),
    fixed: document.getElementById('info').classList.contains('fixed'),
  };
};

// Of each cell of a grid its text, part, row, col, tid, i, stage, offset and bank, null where it has none.
window.readCells = grid => cellsOf(grid).map(cell => [cell.textContent,
  ...['part', 'row', 'col', 'tid', 'i', 'stage', 'offset', 'bank'].map(name => numberOf(cell, name))]);

// Keeps what the page says right after the pointer has come to a cell.
window.records = {};
window.record = () => addEventListener('mouseover', event => {
  const cell = event.target.closest('#grid td[data-part]');
  if (cell)
    records[keyOf(cell)] = readPage();
});

// The centres of cells that are not recorded yet, and can be pointed at once the first of them was scrolled into view.
window.centresLeft = () => {
  const left = cellsOf('grid').filter(cell => !(keyOf(cell) in records));
  if (left.length > 0)
    left[0].scrollIntoView({block: 'center', inline: 'center'});
  return left.map(cell => [cell, cell.getBoundingClientRect()])
    .map(([cell, box]) => [cell, box.x + box.width / 2, box.y + box.height / 2])
    .filter(([cell, x, y]) => document.elementFromPoint(x, y) === cell).map(([cell, x, y]) => [x, y]);
};

// The same by events that a script makes.
window.pointAtAll = () => Object.fromEntries(cellsOf('grid').map(cell => {
  cell.dispatchEvent(new MouseEvent('mouseenter'));
  cell.dispatchEvent(new MouseEvent('mouseover', {bubbles: true}));
  return [keyOf(cell), readPage()];
}));

window.chooseName = name => {
  const select = document.getElementById('fragment');
  Array.from(select.options).find(option => option.names.includes(name)).value = name;
  select.value = name;
  select.dispatchEvent(new Event('change', {bubbles: true}));
};
window.namesOf = () => Array.from(document.getElementById('fragment').options).flatMap(option => option.names);
"""


def ask(page, expression):
    """The value of an expression; large ones come faster as text."""
    return json.loads(page.evaluate(f"JSON.stringify({expression})"))


def read(page):
    return ask(page, "readPage()")


def pointed_at(page):
    """The text of the page for each element, when the mouse points at it."""
    page.evaluate("record()")
    count, before = page.locator("#grid td[data-part]").count(), -1
    while (done := page.evaluate("Object.keys(records).length")) < count and done > before:
        before = done
        for x, y in page.evaluate("centresLeft()"):
            page.mouse.move(x, y)
    return ask(page, "records")


def pointed_at_by_script(page):
    """The same without a mouse, for a page with many cells: in no time."""
    return ask(page, "pointAtAll()")


def cell(tid, i, grid="grid"):
    return f"#{grid} td[data-tid='{tid}'][data-i='{i}']"


def keys(holders):
    return {"%d:%d" % holder for holder in holders}


def state_of(page):
    """The controls and the text: the state that a link should keep."""
    controls = {name: page.input_value(f"#{name}") for name in ("fragment", "arch", "compare", "view", "color")}
    return {**controls, **read(page)}


def items(page):
    """The items of the address."""
    return dict(urllib.parse.parse_qsl(page.evaluate("location.hash.slice(1)"), keep_blank_values=True))


def find(page, text):
    page.fill("#find", text)
    page.press("#find", "Enter")


def is_in_view(page, selector):
    return page.evaluate("""selector => {
      const box = document.querySelector(selector).getBoundingClientRect();
      return box.width > 0 && box.height > 0 && box.top >= 0 && box.left >= 0 &&
        box.bottom <= innerHeight + 1 && box.right <= innerWidth + 1;
    }""", selector)


# ---- The browser ----


def ready(page):
    page.wait_for_selector("html[data-ready='1']", state="attached", timeout=20000)


class Browser:
    """A browser, the program whose pages it shows, and the errors of its pages."""

    def __init__(self, chromium, program, folder):
        self.chromium, self.program, self.folder = chromium, program, folder
        self.contexts, self.pages, self.files = {}, [], {}
        self.complaints, self.notes = [], []

    def file(self, *arguments):
        """The address of the page that a command prints."""
        if arguments not in self.files:
            path = os.path.join(self.folder, f"{len(self.files)}.html")
            with open(path, "w", encoding="utf-8") as file:
                file.write(mapping(self.program, "--format=html", *arguments))
            self.files[arguments] = "file://" + path
        return self.files[arguments]

    def size(self, *arguments):
        return os.path.getsize(self.file(*arguments)[len("file://"):])

    def context(self, options):
        key = repr(sorted(options.items()))
        if key not in self.contexts:
            self.contexts[key] = self.chromium.new_context(**{"viewport": {"width": 1280, "height": 800}, **options})
            self.contexts[key].add_init_script(READER)
        return self.contexts[key]

    def open(self, *arguments, hash="", is_folded=False, **options):
        """A new page with the output of a command, at an address with that hash; all cells unless it `is_folded`."""
        page = self.context(options).new_page()
        self.pages.append(page)
        address = self.file(*arguments)
        self.watch(page, address)
        page.goto(address + (hash if is_folded or hash[1:] and "=" not in hash else "#cells=all&" + hash[1:]))
        ready(page)
        return page

    def watch(self, page, address):
        """Records actions that no page may perform."""
        def complain(what):
            self.complaints.append(what)

        def dismiss(dialog):
            complain(f"a dialog: {dialog.message}")
            dialog.dismiss()
        page.on("console", lambda line: line.type in ("error", "warning") and complain(f"console: {line.text}"))
        page.on("pageerror", lambda error: complain(f"an exception: {error}"))
        page.on("request", lambda asked: asked.url.split("#")[0] == address or complain(f"a request: {asked.url}"))
        page.on("popup", lambda _: complain("a second window"))
        page.on("dialog", dismiss)

    def note(self, text):
        self.notes.append(text)

    def close(self):
        """Closes all pages; returns their errors, and the notes."""
        for page in self.pages:
            page.close()
        complaints, notes = self.complaints, self.notes
        self.pages, self.complaints, self.notes = [], [], []
        return complaints, notes
