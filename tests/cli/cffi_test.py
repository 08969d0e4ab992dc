"""cffi reads include/mapping.h after the preprocessor, and calls the library. Expected values: the PTX ISA, by hand.

    CC=cc python3 tests/cli/cffi_test.py LIBRARY
"""
import sys

import cffi

from abi_test import declarations  # which also finds tap.py
from tap import finish, ok


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
    library.mapping_close(context)
    return finish()


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
