"""Runs mutate.py on a program of two functions, of which a test runs both and checks one."""

import os
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "../../.."))
sys.path.insert(0, os.path.join(ROOT, "tests/lib"))
import tap  # noqa: E402

FILES = {
    "src/half.c": """int half(int n) {
    return n / 2;
}

int ignored(int n) {
    return n - 7;
}
""",
    "src/main.c": """#include <stdio.h>
#include <stdlib.h>
int half(int n), ignored(int n);
int main(int count, char **words) {
    ignored(count);
    return count < 2 || printf("%d\\n", half(atoi(words[1]))) < 0;
}
""",
    # The test gets the program only through the variable that `make test-environment` prints. Under sanitizers it always fails,
    # which says nothing about a change.
    "tests/half.t": """test -z "$SANITIZE" && test "$($PROGRAM 10)" = 5 && echo "ok 1 - a half, not ok if wrong" || echo "not ok 1 - a half"
echo 1..1
""",
    "Makefile": """BUILD := build$(if $(SANITIZE),/sanitize)
CFLAGS := -O0
SANITIZER := $(if $(SANITIZE),-fsanitize=address)
.PHONY: all test-needs test-programs test-names test-environment faults
all test-needs: $(BUILD)/program
$(BUILD)/%.o: src/%.c
	@mkdir -p $(@D)
	@cc $(CFLAGS) $(SANITIZER) -c -o $@ $<
$(BUILD)/program: $(BUILD)/half.o $(BUILD)/main.o
	@cc $(CFLAGS) $(SANITIZER) -o $@ $^
test-programs faults:
	@true
test-names:
	@echo tests/half.t
test-environment:
	@echo PROGRAM=$(abspath $(BUILD)/program)
""",
}


def mutate(*words):
    with tempfile.TemporaryDirectory() as folder:
        for path, text in FILES.items():
            os.makedirs(os.path.join(folder, os.path.dirname(path)), exist_ok=True)
            with open(os.path.join(folder, path), "w") as file:
                file.write(text)
        shutil.copy(os.path.join(ROOT, "tests/run"), os.path.join(folder, "tests/run"))
        environment = {name: value for name, value in os.environ.items() if name not in ("MAKEFLAGS", "MFLAGS", "CFLAGS")}
        run = subprocess.run([sys.executable, os.path.join(ROOT, "tests/robust/mutation/mutate.py"), *words], cwd=folder,
                             env=environment, capture_output=True, text=True)
        with open(os.path.join(folder, "src/half.c")) as file:
            return run.returncode, run.stdout, run.stderr, file.read()


def main():
    status, printed, message, left = mutate("--jobs=2", "--count=99", "src/half.c")
    verdicts = re.findall(r"^(noticed|SURVIVED) \| (\S+) \| (.*) \| (.*) \| (.*)$", printed, re.MULTILINE)
    tap.ok("every operator and number is changed", status == 0 and {now for _, _, _, now, _ in verdicts} ==
           {"return n * 2;", "return n / 3;", "return n + 7;", "return n - 8;"}, printed + message)
    tap.ok("the test notices what changes its result",
           {(verdict, by) for verdict, place, _, _, by in verdicts if place == "src/half.c:2"} == {("noticed", "tests/half.t")}, printed)
    tap.ok("what a test runs but does not check survives",
           {(verdict, by) for verdict, place, _, _, by in verdicts if place == "src/half.c:6"} == {("SURVIVED", "")}, printed)
    tap.ok("the score counts both", "# noticed 2 of 4" in printed, printed)
    tap.ok("the tree is left as it was", left == FILES["src/half.c"], left)
    return tap.finish()


if __name__ == "__main__":
    sys.exit(main())
