; SPDX-License-Identifier: GPL-3.0-or-later

; The first thing in every program of ours. The game says what `prepare equ` is: a routine that makes its tables.

; USR lands here. BASIC and the ROM are left behind for good.
start:
    di
    ld sp, STACK_TOP

    ; Interrupt mode 2 with a handler that does nothing: HALT wakes at the frame's start and no ROM routine eats
    ; into the time before the beam reaches the picture. The data bus may hold any byte, so all 257 bytes of the
    ; table are alike and every vector is 0xFDFD.
    ld hl, VECTORS
    ld de, VECTORS + 1
    ld (hl), VECTOR_BYTE
    ld bc, 256
    ldir
    ld hl, frame_interrupt
    ld (VECTOR_ENTRY + 1), hl
    ld a, $C3                   ; JP
    ld (VECTOR_ENTRY), a
    ld a, VECTORS / 256
    ld i, a
    im 2

    xor a
    out ($FE), a
    call prepare
    ei
    jp title

frame_interrupt:
    ei
    ret
