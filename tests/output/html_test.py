"""Checks pages:  html_test.py NUMBER < CASES     prints TAP without a plan, after NUMBER other tests

A case is a line of three words and the name of the test, with tabs between them. "page FILE JSON": the page is one file
that fetches nothing, its data is well-formed, and it gives the same layouts, names and formulae as the JSON of the same
command. "hostile FILE NAME": the name is data and never markup."""
import html.parser
import itertools
import json
import os
import sys
import traceback

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
import tap  # noqa: E402

CSP = ("default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; form-action 'none'; "
       "base-uri 'none'")
LOADING = {"src", "href", "action", "formaction", "srcset", "srcdoc", "data", "poster", "background", "style"}
FORBIDDEN = ("innerHTML", "outerHTML", "insertAdjacentHTML", "eval", "Function(", "document.write", "fetch(",
             "XMLHttpRequest", "import(", "WebSocket", "setTimeout(\"", "srcdoc", "createContextualFragment")


class Page(html.parser.HTMLParser):
    """Its elements, and the text in scripts, style and title."""

    def __init__(self, text):
        super().__init__()
        self.elements, self.texts, self.open = [], {}, []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        if tag in ("script", "style", "title"):
            self.open = [tag + (dict(attrs).get("type") or "")]
            self.texts.setdefault(self.open[0], "")

    def handle_endtag(self, tag):
        self.open = []

    def handle_data(self, data):
        for name in self.open:
            self.texts[name] += data


def values_of(at, space):
    """A coordinate at all points: from a table, or bit by bit. Every 2^bits values of an axis, it grows by the step."""
    if isinstance(at, list):
        return at
    parts = []
    for (_, size), bits in zip(space, at["bits"]):
        part = []
        for x in range(size):
            value = 0
            for place, bit in enumerate(bits):
                if x >> place & 1:
                    value ^= bit
            part.append((value, x >> len(bits)))
        parts.append(part)
    values = [(at["base"], 0)]
    for part in parts:
        values = [(value ^ more, steps + further) for value, steps in values for more, further in part]
    return [(value + steps * at["step"]) & 0xFFFFFFFF for value, steps in values]


def flatten(table, depth):
    """A table of JSON as a list of its entries."""
    for _ in range(depth - 1):
        table = list(itertools.chain.from_iterable(table))
    return table


def check_layout(layout, report):
    columns = [values_of(at, layout["from"]) for at in layout["at"]]
    entries = list(zip(*columns))
    assert [name for name, _ in layout["to"]] == report["coordinates"], layout["to"]
    table = flatten(report["map"], len(layout["from"]))
    wanted = [tuple(entry) if isinstance(entry, list) else (entry,) for entry in table]
    assert entries == wanted, next(pair for pair in zip(entries, wanted) if pair[0] != pair[1])
    for names, formulae, said in (("to", layout["formulae"], report["formulae"]),
                                  ("from", layout["inverse"], report["inverse"])):
        for (name, _), formula in zip(layout[names], formulae):
            text = formula[0] if formula else None
            text = text and text.replace(layout["copy"] or "copy", "copy")
            assert text == said[name], (name, text, said[name])


def check_static(page):
    for tag, attributes in page.elements:
        assert tag not in ("link", "iframe", "object", "embed", "img", "base", "form", "a"), tag
        for name in attributes:
            assert name not in LOADING and not name.startswith("on"), (tag, name)
    policies = [a for t, a in page.elements if t == "meta" and a.get("http-equiv") == "Content-Security-Policy"]
    assert len(policies) == 1 and policies[0]["content"] == CSP, policies
    kinds = [a.get("type") for t, a in page.elements if t == "script"]
    assert kinds == ["application/json", None], kinds
    for word in FORBIDDEN:
        assert word not in page.texts["script"], word
    for word in ("url(", "@import", "http:", "https:", "//"):
        assert word not in page.texts["style"], word
    assert "http" not in page.texts["script"]
    ids = [a["id"] for _, a in page.elements if "id" in a]
    assert len(ids) == len(set(ids)), ids


def read_data(page):
    raw = page.texts["scriptapplication/json"]
    assert not set(raw) & set("<>&\u2028\u2029"), "not escaped"
    return json.loads(raw)


def read_page(path):
    with open(path, encoding="utf-8") as file:
        text = file.read()
    assert text.startswith("<!DOCTYPE html>")
    return Page(text), text


def check_page(path, oracle):
    page, _ = read_page(path)
    check_static(page)
    data = read_data(page)
    for report in data["reports"]:
        assert report["layout"] < len(data["layouts"]) and report["notes"] < len(data["texts"])
    names = {report["name"] for report in data["reports"]}
    assert all(len(product) in (2, 3) and names.issuperset(product) for product in data["products"]), data["products"]
    with open(oracle, encoding="utf-8") as file:
        reports = json.load(file)
    reports = reports if isinstance(reports, list) else [reports]
    assert len(reports) == len(data["reports"]) > 0
    for mine, report in zip(data["reports"], reports):
        assert mine["name"] == report.get("fragment", report.get("layout", report.get("file"))), mine
        assert f"sm_{mine['arch']}" == report.get("arch", "sm_0"), mine
        check_layout(data["layouts"][mine["layout"]], report)
        if "detail" in report:
            assert (mine["type"], mine["bits"]) == (report["detail"]["type"], report["detail"]["bits"]), mine


def check_hostile(path, name):
    page, text = read_page(path)
    check_static(page)
    assert read_data(page)["reports"][0]["name"] == name
    assert page.texts["title"] == f"mapping: {name}", page.texts["title"]
    assert (name not in text or not set(name) & set("<>&")) and "<img" not in text


tap.number = int(sys.argv[1])
for line in sys.stdin:
    kind, path, other, title = line.rstrip("\n").split("\t")
    try:
        (check_page if kind == "page" else check_hostile)(path, other)
        why = ""
    except Exception:  # whatever it is, the other pages are checked, too
        why = traceback.format_exc()
    tap.ok(title, not why, why)
sys.exit(tap.failures > 0)
