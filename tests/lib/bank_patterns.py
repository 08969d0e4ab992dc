"""Addresses of a warp in shared memory, for tests of --access: strides, paddings, swizzles, masks, copies, random ones.

A pattern is a name, an operation and 32 addresses in bytes; None is an inactive lane. The same seed gives the same
patterns.
"""

import random

LANES = 32
ROOM = 48 * 1024  # what every device gives a block without being asked for more

# operation: bytes of a lane, matrices
ACCESSES = {f"{kind}.{name}": (size, 0) for kind in ("ld", "st")
            for name, size in (("u8", 1), ("u16", 2), ("b32", 4), ("b64", 8), ("b128", 16))}
ACCESSES |= {f"{kind}.x{count}{trans}": (16, count) for kind in ("ldmatrix", "stmatrix") for count in (1, 2, 4)
             for trans in ("", ".trans")}


def structured(size):
    """What kernels do: yields a name and a function of the lane, in bytes."""
    for stride in (1, 2, 3, 4, 5, 8, 16, 17, 31, 32, 33, 64):
        yield f"stride {stride}", lambda lane, s=stride: lane * s * size
    for row in (32, 64, 128, 256, 512):
        for pad in (0, size, 16):
            yield f"rows of {row} + {pad}", lambda lane, r=row + pad: lane % 16 * r + lane // 16 * 16
            yield f"columns of {row} + {pad}", lambda lane, r=row + pad: lane // 8 * size + lane % 8 * r
    for bits in (1, 2, 3):
        for shift in (0, 1, 3):
            yield (f"swizzle {bits} {shift}",
                   lambda lane, b=bits, s=shift: lane * 128 + ((lane >> s & (1 << b) - 1) ^ lane // 8) * 16)
    for share in (2, 4, 8, 16, 32):
        yield f"{share} neighbours together", lambda lane, s=share: lane // s * size
        yield f"{share} neighbours together, far", lambda lane, s=share: lane // s * 128
        yield f"modulo {share}", lambda lane, s=share: lane % s * size
        yield f"modulo {share}, far", lambda lane, s=share: lane % s * 128
    for bit in (1, 2, 4, 8, 16):
        yield f"without bit {bit}", lambda lane, b=bit: (lane & ~b) * size
        yield f"without bit {bit}, far", lambda lane, b=bit: (lane & ~b) * 32


def by_chance(size, random_):
    """Random ones, of which many have lanes with the same addresses, or nearly so."""
    room = random_.choice((64, 128, 256, 512, 1024, 4096, ROOM)) // size

    def pick():
        return random_.randrange(room) * size

    kind = random_.choice(("any", "pairs", "pairs", "few", "crowded"))
    if kind == "pairs":
        keep = ~random_.choice((1, 1, 2, 2, 3, 4, 16))
        table = [pick() for _ in range(LANES)]
        address = [table[lane & keep] for lane in range(LANES)]
        for _ in range(random_.choice((0, 0, 1, 2))):
            address[random_.randrange(LANES)] = pick()
            kind = "pairs, nearly"
    elif kind == "few":
        table = [pick() for _ in range(random_.choice((1, 2, 3, 5)))]
        address = [random_.choice(table) for _ in range(LANES)]
    elif kind == "crowded":
        address = [(pick() // 128 * 128 + random_.choice((0, 0, 0, 4, 64)) // size * size) for _ in range(LANES)]
    else:
        address = [pick() for _ in range(LANES)]
    return f"{kind} of {room}", address


def masked(address, random_):
    """Some lanes inactive; never all. Where a pair differs, one of it may go, so that those left agree."""
    kind = random_.choice(("half", "few", "most", "one of each pair", "warp half"))
    if kind == "one of each pair":
        bit = random_.choice((1, 2))
        active = [bool(lane & bit) or address[lane] == address[lane ^ bit] for lane in range(LANES)]
    elif kind == "warp half":
        active = [lane // 16 == 0 for lane in range(LANES)]
    else:
        share = {"half": 0.5, "few": 0.1, "most": 0.9}[kind]
        active = [random_.random() < share for _ in range(LANES)]
    active[random_.randrange(LANES)] = True
    return kind, [a if on else None for a, on in zip(address, active)]


def patterns(each, seed=1):
    """All that is structured, and `each` random ones for each operation: (name, operation, addresses)."""
    random_ = random.Random(seed)
    for access, (size, matrices) in ACCESSES.items():
        found = [(name, [at(lane) // size * size % ROOM for lane in range(LANES)]) for name, at in structured(size)]
        found += [by_chance(size, random_) for _ in range(each)]
        for name, address in found:
            yield name, access, address[:8 * matrices] + [None] * (LANES - 8 * matrices) if matrices else address
            if not matrices and random_.random() < 0.5:
                kind, address = masked(address, random_)
                yield f"{name}, {kind} active", access, address
