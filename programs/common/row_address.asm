; SPDX-License-Identifier: GPL-3.0-or-later

; HL = address of pixel row A at character column C. Keeps BC and DE.
row_address:
    ld l, a
    and $C0
    rrca
    rrca
    rrca
    or SCREEN / 256
    ld h, a
    ld a, l
    and 7
    or h
    ld h, a
    ld a, l
    and $38
    add a, a
    add a, a
    or c
    ld l, a
    ret
