/* Four recorded signals in flash: the data of the .npy files, after their header of 128 bytes. */
    .section .rodata.signals, "a", %progbits
    .balign 4
    .global signals
    .type signals, %object
signals:
    .incbin "00.npy", 128
    .incbin "01.npy", 128
    .incbin "02.npy", 128
    .incbin "03.npy", 128
    .size signals, . - signals
    .section .note.GNU-stack, "", %progbits
