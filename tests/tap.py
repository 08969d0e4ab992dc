"""What tests in Python share: lines of TAP."""
import sys

failures = 0
number = 0


def ok(name, passed, why=""):
    """One line of TAP, and up to 20 lines why."""
    global failures, number
    number += 1
    failures += not passed
    print(f"{'ok' if passed else 'not ok'} {number} - {name}")
    for line in why.splitlines()[:20] if not passed else []:
        print("#", line[:400])
    sys.stdout.flush()


def finish():
    """The plan. True if a test failed."""
    print(f"1..{number}")
    return failures > 0
