#!/usr/bin/env python3
"""header_names_test.py MAPPING [all]: no two different headers of --format=cuda share a name.

It prints headers of all kinds: fragments, tiles, their order, several architectures in one, matrices in memory, tables
of --map, loads and stores, loads from Tensor Memory, and conversions. For all of them together, it checks:

- all code is in an include guard whose macro has a fingerprint, with an #error for another fingerprint, except for the
  macros MAPPING_FUNCTION and the includes, which are always the same;
- guards with the same macro and the same fingerprint have the same code;
- a function is in guards of one macro alone.

So a compiler that sees two headers takes both, takes one for both if they are the same, or stops. With "all" it takes
every fragment of every architecture. Nothing here is taken from the program: the rule is that of the C preprocessor."""
import itertools
import os
import re
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from library import command  # noqa: E402
from tap import architectures  # noqa: E402

MAPPING, THOROUGH = sys.argv[1], "all" in sys.argv[2:]
GUARD = re.compile(r'#if defined\((\w+)\) && \1 != (0x[0-9a-f]{8})\n#error "mapping: [^"\n]*"\n#elif !defined\(\1\)\n'
                   r"#define \1 \2\n")
FUNCTION = re.compile(r"^\w[\w ]*\b(mapping_\w+)\(", re.MULTILINE)
PREAMBLE = ["", "#include <stddef.h>\n#include <string.h>", """#ifndef MAPPING_FUNCTION
#ifdef __CUDACC__
#define MAPPING_FUNCTION static inline __host__ __device__
#define MAPPING_DEVICE_FUNCTION static inline __device__
#else
#define MAPPING_FUNCTION static inline
#endif
#endif"""]
TILES = [
    "--atom-layout=(2,2,1)", "--atom-layout=(2,2,1):(2,1,0)", "--atom-layout=(4,1,1)", "--atom-layout=(1,4,1)",
    "--permutation=32,_,_", "--permutation=_,32,_", "--permutation=_,(8,2):(2,1),_", "--permutation=_,(2,8):(8,1),_",
    "--permutation=_,(8,2):(1,8),_", "--permutation=(8,2):(2,1),_,_", "--permutation=_,_,32"]
MATRICES = ["(64,64):(64,1)", "(64,64):(1,64)", "(64,64):(72,1)", "Sw<3,3,3> o 0 o (64,64):(64,1)",
            "Sw<2,3,3> o 0 o (64,64):(64,1)", "Sw<1,3,3> o 0 o (64,64):(64,1)", "Sw<1,3,-3> o 0 o (64,64):(64,1)",
            "((8,8),(8,8)):((8,512),(1,64))"]
ATOMS = ["Layout_K_SW128_Atom", "Layout_K_SW64_Atom", "Layout_MN_SW128_Atom"]
CONVERSIONS = ["mma.m16n8k16.d.f32 mma.m16n8k16.a.f16", "mma.m16n8k16.d.f32 mma.m16n8k16.b.f16",
               "mma.m16n8k32.d.f32 mma.m16n8k32.a.e4m3", "mma.m8n8k4.d.f32 mma.m8n8k4.a.row.f16",
               "wmma.m16n16k16.d.f32 wmma.m16n16k16.a.row.f16", "wmma.m16n16k16.d.f32 wmma.m16n16k16.b.col.f16",
               "wmma.m16n16k16.d.f32 mma.m16n8k16.d.f32", "wmma.m16n16k16.a.row.f16 wmma.m16n16k16.a.col.f16",
               "wgmma.m64n64k16.d.f32 wgmma.m64n64k32.a.e4m3", "wgmma.m64n64k16.d.f32 wgmma.m64n64k16.a.f16"]


def tables(folder):
    """Tables for --map: two layouts, with columns in two orders and under two names each, in files with similar names."""
    forward = [(x, x // 4, x % 4) for x in range(8)]
    backward = [(x, x % 4, x // 4) for x in range(8)]
    for number, (rows, names) in enumerate(itertools.product((forward, backward), (
            "x,a,b", "x,b,a", "y,a,b", "x,A,B", "x,row,col", "x,col,row"))):
        for name in (f"{folder}/{number}/some.map.csv", f"{folder}/{number}/some-map.csv"):
            os.makedirs(f"{folder}/{number}", exist_ok=True)
            with open(name, "w", encoding="ascii") as file:
                file.write(names + "\n" + "".join(",".join(map(str, row)) + "\n" for row in rows))
            yield ["--map=" + name, "--outputs=" + names[2:]]
    with open(f"{folder}/pairs.csv", "w", encoding="ascii") as file:
        file.write("p,q,z\n" + "".join(f"{p},{q},{p * 4 + q}\n" for p in range(4) for q in range(4)))
    yield ["--map=" + f"{folder}/pairs.csv", "--outputs=z"]
    with open(f"{folder}/Pairs.csv", "w", encoding="ascii") as file:
        file.write("q,p,z\n" + "".join(f"{q},{p},{p * 4 + q}\n" for p in range(4) for q in range(4)))
    yield ["--map=" + f"{folder}/Pairs.csv", "--outputs=z"]


def command_lines(folder):
    for arch in architectures(MAPPING) if THOROUGH else ["70", "75", "80", "90"]:
        yield [f"--arch={arch}", "--all", "--order"]
    for arch in ["100", "103", "120"]:
        yield [f"--arch={arch}", *(["--all"] if THOROUGH else ["*16*", "--order"])]
    for archs in ["70,75", "70,75,90", "75,80", "72,90"]:
        yield ["--arch=" + archs, "wmma.*", "mma.m8n8k4.*"]
    for tile, fragment in itertools.product(TILES, ["mma.m16n8k16.a.f16", "mma.m16n8k16.b.f16", "mma.m16n8k16.d.f32"]):
        yield ["--arch=80", fragment, tile, "--order"]
    for kind, tile in itertools.product(["u4", "s4", "e2m1"], ["--permutation=_,_,32", "--permutation=_,_,(2,4,2,2):(1,8,2,4)"]):
        yield ["--arch=80", "mma.m16n8k16.a.f16", tile, "--order=" + kind]
    for matrix, kind in itertools.product(MATRICES, ["f16", "f32", "e4m3", "b4"]):
        yield [matrix, "--type=" + kind]
    for atom, kind, extent in itertools.product(ATOMS, ["f16", "e4m3"], ["64,64", "128,128"]):
        yield [atom, "--type=" + kind, "--extent=" + extent]
    for load in ["ld.32x32b", "ld.32x32b.x4", "ld.16x256b", "ld.16x256b.x2", "st.16x256b", "ld.16x128b", "ld.16x64b",
                 "st.32x32b", "ld.32x32b.pack::16b", "st.32x32b.unpack::16b"]:
        for fragment in ["tcgen05.mma.m64n64k16.d.f32", "tcgen05.mma.m128n64k16.d.f32", "tcgen05.mma.m128n64k16.d.f16",
                         "tcgen05.mma.cta2.m128n64k16.d.f32", "tcgen05.mma.cta2.m256n64k16.d.f32"]:
            yield ["--arch=100", fragment, "--with=tcgen05." + load]
    moves = ["--load=mma.m16n8k16.a.f16", "--load=mma.m16n8k8.a.tf32", "--store=mma.m16n8k16.a.f16", "--store=cp.async",
             "--store=mma.m16n8k16.d.f32", "--load=mma.m16n8k16.b.f16"]
    for matrix, move, arch in itertools.product(MATRICES, moves, ["80", "90"]):
        yield [f"--arch={arch}", matrix, move]
        if "cp.async" not in move:
            yield [f"--arch={arch}", matrix, move, "--origin=16,16"]
            yield [f"--arch={arch}", matrix, move, TILES[0]]
        if "load" in move:
            yield [f"--arch={arch}", matrix, move, "--with=ld.b32"]
            yield [f"--arch={arch}", matrix, move, "--axes=k,m" if ".a." in move else "--axes=n,k"]
    for pair, arch in itertools.product(CONVERSIONS, ["70", "75", "80", "90"]):
        source, target = pair.split()
        for tile in [[], *([t] for t in TILES if arch == "80" and source == "mma.m16n8k16.d.f32")]:
            yield [f"--arch={arch}", source, *tile, "--convert=" + target]
    mma = ["#ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [%s], instrShape = [16, 8]}>" % warps
           for warps in ("4, 1", "2, 2", "1, 4")]
    for source, target in itertools.product(mma, mma):
        yield ["--shape=64,64", source, "--convert=" + target]
    yield from tables(folder)


def uncommented(text):
    return re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL).strip()


def guards(text):
    """The guarded parts of a header: (macro, fingerprint, code); and the text that is in no guard."""
    parts, rest, at = [], "", 0
    while start := GUARD.search(text, at):
        rest += text[at:start.start()]
        depth, at = 1, start.end()
        for line in re.compile(r"^#(if\w*|endif)\b.*\n?", re.MULTILINE).finditer(text, start.end()):
            depth += -1 if line[1] == "endif" else 1
            if depth == 0:
                parts.append((start[1], start[2], uncommented(text[start.end():line.start()])))
                at = line.end()
                break
    return parts, uncommented(rest + text[at:])


def main():
    codes, macros, wrong, headers, refused = {}, {}, [], 0, 0
    with tempfile.TemporaryDirectory() as folder:
        for words in command_lines(folder):
            done = command(MAPPING, "--format=cuda", *words)
            line = " ".join(words)
            if done.returncode != 0:
                refused += 1
                continue
            headers += 1
            parts, rest = guards(done.stdout)
            for outside in PREAMBLE[::-1]:
                rest = rest.replace(outside, "", 1).strip() if outside else rest
            if rest or not parts:
                wrong.append(f"{line}: code without a guard: {rest[:200]!r}")
            for macro, fingerprint, code in parts:
                known = codes.setdefault((macro, fingerprint), (code, line))
                if known[0] != code:
                    wrong.append(f"{line}: {macro} {fingerprint} is also, with other code, of: {known[1]}")
                for name in FUNCTION.findall(code):
                    first = macros.setdefault(name, (macro, line))
                    if first[0] != macro:
                        wrong.append(f"{line}: {name} in {macro} is also in {first[0]} of: {first[1]}")
    sharing = len(codes) - len({macro for macro, _ in codes})
    print(f"{headers} headers, {refused} refused, {len(codes)} guards, of which {sharing} stop the compiler beside others")
    print("\n".join(wrong[:20]))
    sys.exit(1 if wrong or headers < 500 or sharing < 20 else 0)


if __name__ == "__main__":
    main()
