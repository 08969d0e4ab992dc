"""cffi reads include/mapping.h after the preprocessor, and calls the library. Expected values: the PTX ISA, by hand.

    CC=cc python3 tests/cli/cffi_test.py LIBRARY
"""
import glob
import os
import shutil
import sys
import tempfile

import cffi

from abi_test import declarations  # which also finds tap.py
from tap import finish, ok


def decode(ffi, library, context, folder, last):
    """Runs a kernel that copies all elements of A but the last, which becomes `last`, and returns the finding."""
    for a in glob.glob(os.path.join(folder, "A*.npy")):
        d = os.path.join(folder, "D" + os.path.basename(a)[1:])
        shutil.copyfile(a, d)
        with open(d, "r+b") as file:
            if last is not None:
                file.seek(-len(last), os.SEEK_END)
                file.write(last)
    answer, value = ffi.new("const mapping_answer **"), ffi.new("uint64_t *")
    status = library.mapping_ask(context, 1, [ffi.new("char[]", f"--decode={folder}".encode())], answer)
    found = []
    for n in range(library.mapping_answer_count(answer[0])):
        item = library.mapping_answer_item(answer[0], n)
        numbers = [value[0] if library.mapping_item_number(item, which, value) else None
                   for which in (library.MAPPING_COMPARED, library.MAPPING_WRONG)]
        found.append((ffi.string(library.mapping_item_text(item, library.MAPPING_NAME)).decode(), *numbers))
    return status, library.mapping_answer_kind(answer[0]) == library.MAPPING_KIND_FINDING, found


def main(path):
    ffi = cffi.FFI()
    ffi.cdef(declarations())
    library = ffi.dlopen(path)
    number = library.mapping_version()
    version = f"mapping {number >> 16}.{number >> 8 & 255}.{number & 255}\n"

    options = ffi.new("struct mapping_options *")
    options.size = ffi.sizeof("struct mapping_options")
    context = library.mapping_open(options)
    text, size = ffi.new("const char **"), ffi.new("size_t *")
    words = [ffi.new("char[]", b"--version")]
    status = library.mapping_run(context, 1, words, text, size)
    ok("mapping_run prints the version that mapping_version has", status == library.MAPPING_OK and ffi.string(text[0]).decode() == version)

    # Row 3, column 5 of D of m16n8k16: groupID 3, threadID_in_group 2, element 1 (PTX ISA, accumulators).
    words = [ffi.new("char[]", word) for word in (b"mma.m16n8k16.d.f32", b"--at=3,5")]
    answer, value = ffi.new("const mapping_answer **"), ffi.new("uint32_t *")
    status = library.mapping_ask(context, 2, words, answer)
    item = library.mapping_answer_item(answer[0], 0)
    found = {axis: value[0] for axis in ("tid", "i") if library.mapping_item_coordinate(item, axis.encode(), value)}
    ok("mapping_ask finds an element", (status, found) == (library.MAPPING_OK, {"tid": 14, "i": 1}), str((status, found)))

    status = library.mapping_run(context, 1, [ffi.new("char[]", b"mma.m16n8k17")], text, size)
    ok("mapping_message says what is wrong", status == library.MAPPING_INVALID and b"mma.m16n8k17" in ffi.string(library.mapping_message(context)))

    with tempfile.TemporaryDirectory() as folder:
        words = [ffi.new("char[]", word.encode()) for word in ("--probe=copy:8", f"--into={folder}", "--type=f16")]
        library.mapping_run(context, 3, words, text, size)
        right = decode(ffi, library, context, folder, None)
        wrong = decode(ffi, library, context, folder, b"\0\0")
    ok("the findings of --decode are items", (right, wrong[0], wrong[1], {each[1:] for each in wrong[2]}) ==
       ((library.MAPPING_OK, True, []), library.MAPPING_DIFFERS, True, {(8, 1)}), str((right, wrong)))
    library.mapping_close(context)
    return finish()


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
