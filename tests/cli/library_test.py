"""The library gives the same answers as the command. A sample of the command lines of tests/lib/command_lines.py goes through
mapping_run: in one context, and in eight contexts of eight threads at once. Status, text and message equal those of
a process.

    python3 tests/cli/library_test.py MAPPING LIBRARY
"""
import ctypes
import os
import shlex
import sys
import tempfile
import threading

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from command_lines import command_lines  # noqa: E402
from delta import answer  # noqa: E402
from library import array_of, load, run  # noqa: E402
from tap import finish, formats, ok, sample  # noqa: E402

THREADS = 8
STATUSES_WITH_TEXT = (0, 1, 4)


def load_all(path):
    """The library, with the functions of answers."""
    library = load(path)
    library.mapping_ask.argtypes = library.mapping_run.argtypes[:-1]
    library.mapping_answer_print.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p, ctypes.c_void_p]
    library.mapping_release.argtypes = [ctypes.c_void_p]
    return library


def ask(library, context, words, form):
    """Status and text of an answer that is printed later. None if the library has only the text of this answer, or cannot
    print it, or if an option needs the format."""
    asked, text, size = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_size_t()
    status = library.mapping_ask(context, len(words), array_of(words), ctypes.byref(asked))
    if not asked:
        message = library.mapping_message(context)
        return None if b"only text" in message or b"; it needs --format=" in message else (status, message)
    printed = library.mapping_answer_print(context, asked, form.encode(), ctypes.byref(text), ctypes.byref(size))
    whole = ctypes.string_at(text, size.value)
    refused = printed == 2 and b"cannot be printed; use mapping_run" in library.mapping_message(context)
    library.mapping_release(context)
    if refused:
        return None
    return printed if status in (0, 4) else status, whole


def differently_asked(library, context, lines, expected, names):
    """How many answers were printed, and the lines whose answer is printed in another way than by mapping_run."""
    count, wrong = 0, []
    for line in lines:
        words = shlex.split(line)
        forms = [word for word in words if word.removeprefix("--format=") in names or word.removeprefix("--") in names]
        # A page has one block for all loads from Tensor Memory, and code one function; the command splits them so.
        if expected[line][0] not in STATUSES_WITH_TEXT or "-f" in line.replace("--f", "") or \
                ("tcgen05" in line and forms and not forms[0].endswith("text")):
            continue
        form = forms[-1].removeprefix("--format=").removeprefix("--") if forms else "text"
        answered = ask(library, context, [word for word in words if word not in forms], form)
        if answered is not None:
            count += 1
            if answered != expected[line][:2]:
                wrong.append(line)
    return count, wrong


def of_process(program, words, environment):
    """The same for a process. Standard error is empty, or one message after "mapping: "."""
    status, out, err = answer(program, words, environment)
    return status, out, err.removeprefix(b"mapping: ").removesuffix(b"\n")


def differences(library, context, lines, expected):
    return [line for line in lines if run(library, context, shlex.split(line)) != expected[line]]


def main(program, path):
    library = load_all(path)
    # The library does not start drivers and tools unless its options allow it; these command lines do not need them.
    started = ("--source=gpu", "--source=sass", "gpu,", ",gpu", "sass,", ",sass", "--device", "--check", "--confirm", "--cuda")
    lines = [line for line in sample(command_lines(program), 40) if not any(word in line for word in started)]
    with tempfile.TemporaryDirectory() as folder:
        environment = {"PATH": "/usr/bin:/bin", "CUDA_HOME": folder, "CUDA_VISIBLE_DEVICES": "", "LC_ALL": "C", "HOME": folder, "TMPDIR": folder}
        os.environ.clear()
        os.environ.update(environment)
        expected = {line: of_process(program, shlex.split(line), environment) for line in lines}

    os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
    version = library.mapping_version()
    ok("the version is that of the command", run(library, library.mapping_open(None), ["--version"])[1] ==
       f"mapping {version >> 16}.{version >> 8 & 255}.{version & 255}\n".encode())
    ok("some command lines fail, and some have text", {0, 1, 2} <= {status for status, _, _ in expected.values()})

    context = library.mapping_open(None)
    wrong = differences(library, context, lines, expected)
    ok(f"{len(lines)} command lines in one context, as in a process", not wrong, "\n".join(wrong))
    count, wrong = differently_asked(library, context, lines, expected, formats(program))
    ok("answers of mapping_ask, printed later, are what mapping_run prints", count > 100 and not wrong, "\n".join(wrong))
    library.mapping_close(context)

    wrong = []

    def work(number):
        own = library.mapping_open(None)
        wrong.extend(differences(library, own, lines[number::THREADS] + lines[:20], expected))
        library.mapping_close(own)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    ok(f"{THREADS} contexts in as many threads", not wrong, "\n".join(wrong))

    context = library.mapping_open(None)
    status, text, message = run(library, context, ["wmma.m16n16k16.d.f32", "--source=sass", "--arch=80"])
    ok("a source that starts tools is unavailable", status == 3 and text == b"" and b"mapping_options" in message, message.decode())
    library.mapping_close(context)
    library.mapping_close(None)
    return finish()


if __name__ == "__main__":
    sys.exit(main(*(os.path.abspath(path) for path in sys.argv[1:])))
