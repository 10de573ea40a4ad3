; SPDX-License-Identifier: GPL-3.0-or-later

#include "print.asm"

; Prints the lower six digits of the four BCD bytes at HL.
print_bcd:
    inc hl
    call print_two_digits
    inc hl
    call print_two_digits
    inc hl
print_two_digits:
    ld a, (hl)
    rrca
    rrca
    rrca
    rrca
    call print_digit
    ld a, (hl)
print_digit:
    and $0F
    add a, 48
    call print_character
    inc c
    ret

; Lines of text from HL on: line, column, colour, string; a line of 255 ends them.
print_lines:
    ld a, (hl)
    inc a
    ret z
    dec a
    ld b, a
    inc hl
    ld c, (hl)
    inc hl
    ld a, (hl)
    inc hl
    ld (ink), a
    call print
    jr print_lines

; A = colour, B = line, C = column, D = lines, E = columns
fill_colours:
    push af
    ld l, b
    ld h, 0
    add hl, hl
    add hl, hl
    add hl, hl
    add hl, hl
    add hl, hl
    ld b, ATTRIBUTES / 256
    add hl, bc
    pop af
fill_line:
    push hl
    ld b, e
fill_cell:
    ld (hl), a
    inc hl
    djnz fill_cell
    pop hl
    ld bc, 32
    add hl, bc
    dec d
    jr nz, fill_line
    ret
