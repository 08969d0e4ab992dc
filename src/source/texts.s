# texts.s - the shortest expressions, embedded as they are. Paths are from the repository's root, where make runs.
    .section .rodata
    .global recorded_proofs
recorded_proofs:
    .incbin "results/short.txt"
    .byte 0
    .section .note.GNU-stack, "", %progbits
