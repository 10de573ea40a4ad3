; SPDX-License-Identifier: GPL-3.0-or-later

; The next random byte in A. A 16-bit xorshift (7, 9, 8) runs through all 65,535 seeds but 0; 0 would stay 0 for ever and
; stands for another seed. Keeps BC, DE and IX.
random:
    ld hl, (seed)
    ld a, h
    or l
    jr nz, random_shift
    ld hl, $0A4B
random_shift:
    ; x = x xor (x << 7)
    push de
    ld a, h
    rra                         ; x << 7 is x << 8 >> 1: its high byte is the low byte, shifted right behind bit 8
    ld a, l
    rra
    ld d, a
    ld a, 0                     ; XOR would lose the carry, bit 0 of x, which becomes bit 7
    rra
    xor l
    ld l, a
    ld a, d
    xor h
    ld h, a
    ; x = x xor (x >> 9)
    srl a
    xor l
    ld l, a
    ; x = x xor (x << 8)
    xor h
    ld h, a
    ld (seed), hl
    pop de
    ret

; A = a random number from 0 to A - 1: (byte x A) / 256. Keeps DE and IX.
random_below:
    ld b, a
    call random
    push de
    ld e, a
    ld d, 0
    ld hl, 0
random_add:
    add hl, de
    djnz random_add
    ld a, h
    pop de
    ret
