"""Checks the links between the pages of a folder.

    python3 tests/python/links.py FOLDER
"""
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urldefrag


class Page(HTMLParser):
    def __init__(self, path):
        super().__init__()
        self.links, self.names = [], set()
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        self.names.update(given[name] for name in ("id", "name") if name in given)
        self.links += [given[name] for name in ("href", "src") if given.get(name)]


def main(folder):
    pages = {path: Page(path) for path in Path(folder).rglob("*.html")}
    dead = []
    for path, page in pages.items():
        for link in page.links:
            place, name = urldefrag(unquote(link))
            target = (path.parent / place).resolve() if place else path.resolve()
            if ":" in place or (target in {each.resolve() for each in pages if not name or name in pages[each].names}):
                continue
            dead.append(f"{path}: {link}")
    print(*dead, f"{len(pages)} pages, {len(dead)} dead links", sep="\n")
    return bool(dead) or not pages


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
