"""ptx_versions_test.py: the PTX of src/tools/sass.py, which must be in PYTHONPATH, does not request a newer version
than its content needs, because an older ptxas would reject it. Reads the output of build/list_opcodes."""
import sys

import sass

# Of architectures before CUDA 13.1, the first PTX version with which ptxas 13.0.88 accepts the target. Two exceptions: sm_88, which it
# also accepts with older versions, has the version that PTX ISA 9.1, "Release Notes", states; sm_70
# and sm_72 have the first version with mma.m8n8k4.
TARGETS = {
    "sm_70": "6.4 sm_70", "sm_72": "6.4 sm_72", "sm_75": "6.4 sm_75", "sm_80": "7.0 sm_80", "sm_86": "7.1 sm_86",
    "sm_87": "7.4 sm_87", "sm_88": "9.0 sm_88", "sm_89": "7.8 sm_89", "sm_90": "8.0 sm_90a", "sm_100": "8.6 sm_100a",
    "sm_103": "8.8 sm_103a", "sm_110": "9.0 sm_110a", "sm_120": "8.7 sm_120a", "sm_121": "8.8 sm_121a"}

archs, opcodes = sass.read_catalogue(sys.stdin)
assert [arch for arch in archs if arch in TARGETS] == list(TARGETS), archs
for arch, expected in TARGETS.items():
    version, target = expected.split()
    for newest, wanted in (60, version), (91, "9.1"):
        head = sass.head_of(arch, archs[arch], newest)
        assert head == f".version {wanted}\n.target {target}\n.address_size 64\n", head

# PTX ISA notes of mma.sp: .sp::ordered_metadata since 8.5.
ptx = {opcode.text: opcode.ptx for opcode in opcodes}
plain = [text for text in ptx if text.startswith("mma.sp.sync.")]
assert len(plain) > 20
for text in plain:
    assert 71 <= ptx[text] <= 84, text
    assert ptx[text.replace("mma.sp.", "mma.sp::ordered_metadata.")] == 85, text
