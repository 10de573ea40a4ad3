; SPDX-License-Identifier: GPL-3.0-or-later

; The score becomes the best one if it is higher.
keep_best:
    ld hl, score
    ld de, best
    ld b, 4
keep_compare:
    ld a, (de)
    cp (hl)
    jr c, keep_it
    ret nz
    inc hl
    inc de
    djnz keep_compare
    ret
keep_it:
    ld hl, score
    ld de, best
    ld bc, 4
    ldir
    ld hl, best_lines
    jp print_lines
