"""For tests: simulates the accesses of a warp to shared memory, which gives the moved bytes and the wavefronts. The rules
are implemented independently of the program.

Wavefronts: the number of wavefronts of a phase is the largest number of distinct 32-bit words in one of the 32 banks.
An access of up to 32 bits has one phase, one of 64 bits has two (half-warps), one of 128 bits has four (quarter-warps),
and ldmatrix and stmatrix have one for each matrix. Two neighbouring phases of a load are merged if, in the whole warp,
any two active lanes l and l ^ 1 have the same address, or any two l and l ^ 2.

Bytes: PTX ISA, ld, st, ldmatrix, stmatrix. A thread's registers are a string of bytes, and each byte is identified by
its address in memory. So a table of addresses, [thread][byte], states what an access must move.
"""

import itertools

from bank_patterns import ACCESSES, LANES

INACTIVE = [None] * LANES

# Matrices of 8-bit elements: rows, registers. CUTLASS, copy_traits_sm100.hpp. Their phases are assumed: 8 rows each.
SHAPES = {f"ldmatrix.m16n16.x{count}.trans.b8": (count, 16, 2) for count in (1, 2)}
SHAPES |= {f"stmatrix.m16n8.x{count}.trans.b8": (count, 8, 1) for count in (1, 2, 4)}


def lanes_of(access):
    """How many lanes bring an address, the lowest."""
    return SHAPES[access][0] * SHAPES[access][1] if access in SHAPES else 8 * ACCESSES[access][1] or LANES


def size_of(access):
    """The bytes at an address."""
    return 16 if access in SHAPES else ACCESSES[access][0]


def held(access, lane):
    """[register of a matrix][byte] = (row, element of the row) that a lane has."""
    if "m16n16" in access:
        return [[(lane % 4 * 4 + byte, lane // 4 + 8 * register) for byte in range(4)] for register in range(2)]
    return [[(lane % 4 * 2 + byte % 2, lane // 4 + 8 * (byte // 2)) for byte in range(4)]]


def phases_of(access, address):
    """The lanes of each phase, active or not."""
    if access in SHAPES:
        return [range(first, first + 8) for first in range(0, lanes_of(access), 8)]
    size, matrices = ACCESSES[access]
    if matrices:
        return [range(8 * m, 8 * m + 8) for m in range(matrices)]
    phases = {8: [range(0, 16), range(16, 32)],
              16: [range(0, 8), range(8, 16), range(16, 24), range(24, 32)]}.get(size, [range(32)])

    def agree(bit):
        pairs = [(address[lane], address[lane ^ bit]) for lane in range(32)]
        return all(a == b for a, b in pairs if a is not None and b is not None)

    if access.startswith("ld") and len(phases) > 1 and (agree(1) or agree(2)):
        phases = [[*phases[p], *phases[p + 1]] for p in range(0, len(phases), 2)]
    return phases


def banks_of(access, address, lanes):
    """For each bank the words that are asked for, in one phase."""
    size = size_of(access)
    banks = [set() for _ in range(32)]
    for lane in lanes:
        if address[lane] is not None:
            for word in range(address[lane] // 4, (address[lane] + size - 1) // 4 + 1):
                banks[word % 32].add(word)
    return banks


def wavefronts(access, address):
    """How many one warp's access takes, and the least that its phases take."""
    found = [max(map(len, banks_of(access, address, lanes))) for lanes in phases_of(access, address)]
    return sum(found), sum(1 for most in found if most)


# ---- Moved bytes ----

def moved(access, address, piece_count):
    """The bytes that each lane of a warp gets, or gives: [lane][piece] = addresses of the piece's bytes."""
    if access in SHAPES:
        count, rows, _ = SHAPES[access]
        return [[[address[rows * m + row] + col for row, col in piece] for m in range(count)
                 for piece in held(access, lane)] for lane in range(LANES)]
    size, matrices = ACCESSES[access]
    if not matrices:
        each = size // piece_count
        return [[list(range(address[lane] + p * each, address[lane] + (p + 1) * each)) for p in range(piece_count)]
                for lane in range(LANES)]
    result = [[] for _ in range(LANES)]
    for lane in range(LANES):
        for m in range(matrices):
            if access.endswith(".trans"):
                # Elements of 16 bits: lane t holds the elements of rows 2 (t % 4) and 2 (t % 4) + 1 in column t / 4.
                rows = [address[8 * m + 2 * (lane % 4) + half] for half in range(2)]
                result[lane].append([row + 2 * (lane // 4) + byte for row in rows for byte in range(2)])
            else:
                start = address[8 * m + lane // 4] + lane % 4 * 4
                result[lane].append(list(range(start, start + 4)))
    return result


def is_run(piece, size):
    """True if the bytes are adjacent, the first one at a multiple of `size`."""
    return None not in piece and piece[0] % size == 0 and piece == list(range(piece[0], piece[0] + len(piece)))


def matrix_rows(lanes, register, trans):
    """The addresses of the rows of the matrix whose elements `register` holds; None if there are none. `lanes` is
    [lane][byte] of a warp."""
    found = [None] * 8
    for lane in range(LANES):
        word = lanes[lane][4 * register:4 * register + 4]
        halves = ([(2 * (lane % 4) + half, word[2 * half:2 * half + 2], 2 * (lane // 4)) for half in range(2)]
                  if trans else [(lane // 4, word, lane % 4 * 4)])
        for row, piece, place in halves:
            if not is_run(piece, 2 if trans else 4):
                return None
            start = piece[0] - place
            if start < 0 or start % 16 or found[row] not in (None, start):
                return None
            found[row] = start
    return found


def shape_rows(access, lanes, registers):
    """The addresses of the rows of a matrix that these registers hold; None if there are none."""
    found = [None] * SHAPES[access][1]
    for lane in range(LANES):
        for register, piece in zip(registers, held(access, lane)):
            for byte, (row, col) in enumerate(piece):
                at = lanes[lane][4 * register + byte]
                if at is None or at - col < 0 or (at - col) % 16 or found[row] not in (None, at - col):
                    return None
                found[row] = at - col
    return found


def plan_shape(access, threads):
    """As plan(): all ways to choose registers for matrices are tried."""
    count, rows, registers = SHAPES[access]
    warps = [threads[w:w + LANES] for w in range(0, len(threads), LANES)]
    left, matrices = list(range(len(threads[0]) // 4)), []
    if len(threads[0]) % (4 * count * registers):
        return None
    while left:
        for chosen in itertools.permutations(left, registers):
            found = [shape_rows(access, warp, chosen) for warp in warps]
            if None not in found:
                break
        else:
            return None
        matrices.append((chosen, found))
        left = [register for register in left if register not in chosen]
    return [([register for chosen, _ in matrices[first:first + count] for register in chosen],
             [sum((found[w] for _, found in matrices[first:first + count]), []) + INACTIVE[count * rows:]
              for w in range(len(warps))]) for first in range(0, len(matrices), count)]


class Remembered:
    """What several plans of the same registers need."""
    threads, known = None, {}

    def get(self, threads, key, compute):
        if self.threads is not threads:
            self.threads, self.known = threads, {}
        if key not in self.known:
            self.known[key] = compute()
        return self.known[key]


REMEMBERED = Remembered()


def plan(access, threads):
    """The steps of an access that moves all registers of all threads, [thread][byte]: for each its pieces and the
    addresses of each warp; None if it cannot. Words of 32 bits and more that are adjacent in memory are moved
    together."""
    if access in SHAPES:
        return plan_shape(access, threads)
    size, matrices = ACCESSES[access]
    warps = [threads[w:w + LANES] for w in range(0, len(threads), LANES)]
    length = len(threads[0])
    if matrices:
        registers, trans = length // 4, access.endswith(".trans")
        rows = REMEMBERED.get(threads, ("rows", trans), lambda: [[matrix_rows(warp, r, trans) for warp in warps] for r in range(registers)])
        if length % 4 or registers % matrices or any(row is None for register in rows for row in register):
            return None
        steps = []
        for first in range(0, registers, matrices):
            pieces = list(range(first, first + matrices))
            steps.append((pieces, [sum((rows[r][w] for r in pieces), []) + INACTIVE[8 * matrices:]
                                   for w in range(len(warps))]))
        return steps
    piece = min(size, 4)
    if length % size:
        return None
    if not REMEMBERED.get(threads, ("runs", piece), lambda: all(is_run(thread[b:b + piece], piece) for thread in threads for b in range(0, length, piece))):
        return None
    groups, seen = {}, {}
    for number in range(length // piece):
        start = threads[0][number * piece]
        seen[start] = seen.get(start, 0) + 1  # a thread may hold an element more than once
        groups.setdefault((start // size, seen[start]), []).append((start % size, number))
    steps = []
    for group in groups.values():
        pieces = [number for _, number in sorted(group)]
        if len(pieces) != size // piece:
            return None
        for thread in threads:
            start = thread[pieces[0] * piece]
            if start % size or any(thread[p * piece] != start + n * piece for n, p in enumerate(pieces)):
                return None
        steps.append((pieces, [[thread[pieces[0] * piece] for thread in warp] for warp in warps]))
    return steps


def registers_of(fragment, memory, origin, bits):
    """[thread][byte] = the address in memory of each byte of a thread's registers; None for a byte whose bits are not
    adjacent. `fragment` is [tid][i] = (row, col), `memory` [row][col] = offset, in elements of `bits`. None if the
    fragment is not inside the matrix there."""
    rows, cols, each = len(memory), len(memory[0]), max(1, 8 // bits)
    found = []
    for thread in fragment:
        places = [(row + origin[0], col + origin[1]) for row, col in thread]
        if any(row >= rows or col >= cols for row, col in places):
            return None
        starts = [memory[row][col] * bits for row, col in places]
        if bits >= 8:
            found.append([start // 8 + byte for start in starts for byte in range(bits // 8)])
        else:
            chunks = [starts[n:n + each] for n in range(0, len(starts), each)]
            found.append([chunk[0] // 8 if chunk[0] % 8 == 0 and
                          chunk == list(range(chunk[0], chunk[0] + 8, bits)) else None for chunk in chunks])
    return found
