"""Tests the page of --format=html in a real browser: headless Chromium, driven by Playwright.

    html_browser.py MAPPING [--screenshots=FOLDER] [WORD...]     prints TAP; only tests with all the words in their names

The mouse hovers over every element of several fragments, and the text of the page is compared with JSON and with
Python's own evaluation of the formulae. Other tests: keys, finding, the address bar, names that look like markup,
phones, screen readers, and speed. In no test may a page fetch anything but itself, violate its own policy, open a
dialog or write an error to the console. With JOBS=N, N browsers run at a time.

Expected values: JSON's maps; formulae, evaluated by Python; axe-core.
"""

import multiprocessing
import os
import queue
import shutil
import sys
import tempfile
import time
import traceback

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "browser"), os.path.join(HERE, "..", "lib")]
import elements, use, views, address, markup, everybody, lanes, folds, speed  # noqa: E401, E402
from pages import TESTS, Browser  # noqa: E402
from pictures import take_pictures  # noqa: E402
from tap import finish, ok  # noqa: E402

try:
    from playwright.sync_api import Error, sync_playwright
except ImportError:
    Error, sync_playwright = None, None

JOBS = int(os.environ.get("JOBS", min(4, os.cpu_count())))
# Seconds that a test has at most.
LIMIT = 300


def chromium_path(playwright):
    """Debian's Chromium, or Playwright's own; None if neither is there."""
    path = shutil.which("chromium") or playwright.chromium.executable_path
    return path if os.path.exists(path) else None


class Running:
    """A browser with a folder of its own."""

    def __init__(self, program):
        self.program = program

    def __enter__(self):
        self.playwright, self.folder = sync_playwright().start(), tempfile.TemporaryDirectory()
        # As root, which containers run as, Chromium has no sandbox.
        chromium = self.playwright.chromium.launch(executable_path=chromium_path(self.playwright),
                                                   chromium_sandbox=os.getuid() != 0)
        self.browser = Browser(chromium, self.program, self.folder.name)
        return self.browser

    def __exit__(self, *_):
        self.browser.chromium.close()
        self.playwright.stop()
        self.folder.cleanup()


def result(browser, number):
    """The number of a test, its errors, its notes, and its time in seconds."""
    _, function, arguments, _ = TESTS[number]
    start = time.time()
    try:
        wrong = list(function(browser, *arguments))
    except (Error, ArithmeticError, AssertionError, AttributeError, LookupError, NameError, SyntaxError, TypeError,
            ValueError) as error:
        wrong = [str(error), *traceback.format_exc().splitlines()[-8:]]
    complaints, notes = browser.close()
    return number, wrong + complaints, notes, time.time() - start


def work(program, numbers, results):
    """Runs tests until none is left."""
    with Running(program) as browser:
        while (number := numbers.get()) is not None:
            results.put(result(browser, number))


def results_of(program, together, alone):
    """Yields what comes of tests, some of which run side by side."""
    numbers, results = multiprocessing.Queue(), multiprocessing.Queue()
    for number in [*together, *[None] * JOBS]:
        numbers.put(number)
    workers = [multiprocessing.Process(target=work, args=(program, numbers, results), daemon=True) for _ in range(JOBS)]
    for worker in workers:
        worker.start()
    for _ in together:
        try:
            yield results.get(timeout=LIMIT)
        except queue.Empty:
            sys.exit(f"Bail out! no test was done for {LIMIT} s")
    for worker in workers:
        worker.join()
    if alone:
        with Running(program) as browser:
            for number in alone:
                yield result(browser, number)


def report(number, wrong, notes, seconds):
    for note in notes:
        print("#", note)
    ok(TESTS[number][0], not wrong, f"{len(wrong)} complaints in {seconds:.1f} s\n" + "\n".join(wrong))
    if os.environ.get("TIMES"):
        print(f"# {seconds:.1f} s")


def missing():
    """A missing tool and how to get it; None if all are there."""
    if sync_playwright is None:
        return "Playwright is missing: pip install playwright"
    with sync_playwright() as playwright:
        return None if chromium_path(playwright) else "Chromium is missing: apt-get install chromium"


def main(program, *arguments):
    words = [argument for argument in arguments if not argument.startswith("--screenshots=")]
    if lacks := missing():
        print("1..0 # SKIP", lacks)
        return False
    program = os.path.abspath(program)
    for argument in arguments:
        if argument not in words:
            with Running(program) as browser:
                take_pictures(browser, argument.split("=", 1)[1])
    chosen = [n for n, (name, function, *_) in enumerate(TESTS) if all(word in name for word in words)]
    if not chosen:
        sys.exit(f"Bail out! no test is called {' '.join(words)}")
    for n in [n for n in chosen if TESTS[n][1] is everybody.axe and not everybody.axe_script()]:
        ok(f"{TESTS[n][0]} # SKIP axe-core is missing: pip install axe-playwright-python", True)
        chosen.remove(n)
    alone = [n for n in chosen if TESTS[n][3]]
    # The slow ones are the last ones, and begin first.
    for found in results_of(program, [n for n in reversed(chosen) if n not in alone], alone):
        report(*found)
    return finish()


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
