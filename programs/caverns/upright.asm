; SPDX-License-Identifier: GPL-3.0-or-later
; Guardians that go up and down, at columns divisible by 8.

; A figure that goes up and down: the rows above and below it are blank in its image.
draw_upright:
    call upright_address
    ld a, (ix + KIND)
    sub 8
    add a, a
    ld b, a
    ld a, (ix + GUARD_Y)
    rrca
    rrca
    and 1
    add a, b                    ; number of the image
    ld b, a
    inc b
    push de
    ld hl, IMAGES_UPRIGHT - 36
    ld de, 36
upright_image:
    add hl, de
    djnz upright_image
    ld b, h
    ld c, l
    pop de
    ld a, 18
upright_row:
    ex af, af'
    ld h, d
    ld l, e
    set 7, h
    ld a, (bc)
    or (hl)
    ld (de), a
    inc bc
    inc l
    inc e
    ld a, (bc)
    or (hl)
    ld (de), a
    inc bc
    dec e
    inc d
    ld a, d
    and 7
    call z, upright_wrap
    ex af, af'
    dec a
    jr nz, upright_row

    ld d, (ix + GUARD_Y)
    ld e, (ix + GUARD_X)
    call colours_at
    ld b, (ix + GUARD_INK)
    ld de, 31
    ld a, (ix + GUARD_Y)
    and 7
    jr z, colour_lines
    call colour_line
colour_lines:
    call colour_line
    call colour_line
    ld a, (ix + GUARD_Y)
    and 7
    ret nz
    ; the lines below and above, one of which it may have left
    call restore_line
    ld de, 65536 - 32 * 3 - 1
    add hl, de
restore_line:
    call restore_colour
    inc l
    jp restore_colour

; Two cells, then on to the next line.
colour_line:
    ld (hl), b
    inc l
    ld (hl), b
    add hl, de
    ret

; DE = screen address of the row above the figure.
upright_address:
    ld a, (ix + GUARD_X)
    call column_of
    ld a, (ix + GUARD_Y)
    dec a
    call row_address
    ex de, hl
    ret

upright_wrap:
    ld a, e
    add a, 32
    ld e, a
    ret c
    ld a, d
    sub 8
    ld d, a
    ret

; Puts back what is behind it, where it is now.
erase_upright:
    call upright_address
    ex de, hl
    ld b, 18
restore_upright_row:
    ld d, h
    ld e, l
    set 7, d
    ld a, (de)
    ld (hl), a
    inc e
    inc l
    ld a, (de)
    ld (hl), a
    dec l
    inc h
    ld a, h
    and 7
    call z, row_wrap
    djnz restore_upright_row
    ld d, (ix + GUARD_Y)
    ld e, (ix + GUARD_X)
    call colours_at
    ld b, 3
restore_upright_line:
    call restore_line
    ld de, 31
    add hl, de
    djnz restore_upright_line
    ret

