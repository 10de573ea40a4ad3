; SPDX-License-Identifier: GPL-3.0-or-later

; HL has run over the last row of a cell: to the first row of the cell below.
row_wrap:
    ld a, l
    add a, 32
    ld l, a
    ret c                       ; into the next third of the screen, where H already points
    ld a, h
    sub 8
    ld h, a
    ret
