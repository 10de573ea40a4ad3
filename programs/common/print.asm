; SPDX-License-Identifier: GPL-3.0-or-later

; Prints the string at HL, which ends with a 0, from line B, column C on, in the colour (ink). Leaves HL after the 0.
print:
    ld a, (hl)
    inc hl
    or a
    ret z
    call print_character
    inc c
    jr print

; Prints the character A, space to Z, at line B, column C. Keeps BC and HL.
print_character:
    push hl
    push bc
    sub 32
    ld l, a
    ld h, 0
    add hl, hl
    add hl, hl
    add hl, hl
    ld de, font
    add hl, de
    ld a, b
    rrca
    rrca
    rrca
    ld d, a
    and $E0
    or c
    ld e, a
    ld a, b
    and $18
    or SCREEN / 256
    ld d, a
    push de
    ld b, 8
print_row:
    ld a, (hl)
    ld (de), a
    inc hl
    inc d
    djnz print_row
    pop de
    ; the cell's colour: its address has the same low byte
    ld a, d
    rrca
    rrca
    rrca
    and 3
    or ATTRIBUTES / 256
    ld d, a
    ld a, (ink)
    ld (de), a
    pop bc
    pop hl
    ret
