/* The files in data/, unchanged. */
        .section .rodata
        .balign 64

        .globl  stkr_shipped_karate_begin
        .hidden stkr_shipped_karate_begin
        .globl  stkr_shipped_karate_end
        .hidden stkr_shipped_karate_end
stkr_shipped_karate_begin:
        .incbin "karate.npz"
stkr_shipped_karate_end:

        .balign 64
        .globl  stkr_shipped_digits_begin
        .hidden stkr_shipped_digits_begin
        .globl  stkr_shipped_digits_end
        .hidden stkr_shipped_digits_end
stkr_shipped_digits_begin:
        .incbin "digits.npz"
stkr_shipped_digits_end:

        .section .note.GNU-stack, "", %progbits
