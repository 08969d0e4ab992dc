"""`make tsan`: eight contexts in eight threads give the same answers as one, under ThreadSanitizer. The command lines
are one in EACH of tests/lib/command_lines.py, which asks MAPPING. `make test` has the same test of the shared library,
cli/library.t.

    python3 tests/robust/threads/threads_test.py THREADS EACH MAPPING
"""
import os
import shlex
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "lib"))
from command_lines import command_lines  # noqa: E402
from delta import ROOT  # noqa: E402
from tap import finish, ok  # noqa: E402


def main(program, each, mapping):
    words = [shlex.split(line) for line in command_lines(mapping)[::int(each)]]
    with tempfile.NamedTemporaryFile() as file, tempfile.TemporaryDirectory() as folder:
        for line in words:
            file.write(b"".join(os.fsencode(word) + b"\0" for word in (str(len(line)), *line)))
        file.flush()
        environment = {"PATH": "/usr/bin:/bin", "LC_ALL": "C", "HOME": folder, "TMPDIR": folder, "CUDA_HOME": folder,
                       "TSAN_OPTIONS": os.environ.get("TSAN_OPTIONS", "halt_on_error=0 exitcode=66")}
        ran = subprocess.run([program, file.name], cwd=ROOT, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    said = (ran.stdout + ran.stderr).strip()
    ok(f"{len(words)} command lines in eight threads", ran.returncode == 0 and "0 answers differ" in said, "\n".join(said.splitlines()[:60]))
    return finish()


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
