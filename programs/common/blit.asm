; SPDX-License-Identifier: GPL-3.0-or-later

; Copies a picture. HL = picture, A = first pixel row, B = rows, C = bytes a row, E = character column.
blit:
    push af
    push bc
    push de
    push hl
    ld b, c
    ld c, e
    call row_address
    ex de, hl
    pop hl
    ld c, b
    ld b, 0
    ldir
    pop de
    pop bc
    pop af
    inc a
    djnz blit
    ret
