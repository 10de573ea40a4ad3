; SPDX-License-Identifier: GPL-3.0-or-later

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
