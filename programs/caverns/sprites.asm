; SPDX-License-Identifier: GPL-3.0-or-later
; The guardians' pictures: each byte is written once, cave and figure together, so there is nothing to flicker.

; DE = the image of kind B at pixel column D, to the left if E is 1. Keeps C.
image_across:
    push hl
    ld a, d
    and 7
    add a, a                    ; 2 x shift
    dec e
    jr nz, image_right
    add a, 16
image_right:
    ld e, a
    ld d, 0
    ld hl, image_offsets
    add hl, de
    ld e, (hl)
    inc hl
    ld d, (hl)
    ld hl, IMAGES_ACROSS
    add hl, de
    inc b
    ld de, 16 * 48
    jr image_kind
image_next:
    add hl, de
image_kind:
    djnz image_next
    ex de, hl
    pop hl
    ret

image_offsets:
    defw 0, 48, 96, 144, 192, 240, 288, 336, 384, 432, 480, 528, 576, 624, 672, 720

draw_guardians:
    ld ix, guardians
    ld b, SLOTS
draw_guardian:
    push bc
    ld a, (ix + KIND)
    cp KIND_NONE
    jr z, draw_next
    ld hl, draw_next
    push hl
    cp 8
    jr c, draw_across
    jp draw_upright
draw_next:
    ld bc, SLOT_SIZE
    add ix, bc
    pop bc
    djnz draw_guardian
    ret

; A figure that goes across fills two lines of cells.
draw_across:
    ld d, (ix + GUARD_X)
    ld a, (ix + GUARD_STEP)
    rlca
    and 1
    ld e, a
    ld b, (ix + KIND)
    call image_across
    push de
    ld a, (ix + GUARD_X)
    call column_of
    ld a, (ix + GUARD_Y)
    call row_address
    ex de, hl
    pop bc
    push de
    call across_rows
    pop de
    ld a, e
    add a, 32
    ld e, a
    jr nc, across_third
    ld a, d
    add a, 8
    ld d, a
across_third:
    call across_rows
    jp colour_across

; Eight rows of three bytes: DE = screen, BC = image; the buffer's address is that on the screen with bit 15 set.
across_rows:
    ld h, d
    ld l, e
    set 7, h
    ld a, 8
across_row:
    ex af, af'
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
    inc l
    inc e
    ld a, (bc)
    or (hl)
    ld (de), a
    inc bc
    dec l
    dec l
    dec e
    dec e
    inc h
    inc d
    ex af, af'
    dec a
    jr nz, across_row
    ret

; Its cells take its colour: three columns, or two when it just fills them. Then the columns beside it, one of which it may
; have left in this frame, are put back.
colour_across:
    ld d, (ix + GUARD_Y)
    ld e, (ix + GUARD_X)
    call colours_at
    ld de, 32
    ld b, (ix + GUARD_INK)
    ld a, (ix + GUARD_X)
    and 7
    jr z, colour_two
    ld (hl), b
    inc l
    ld (hl), b
    inc l
    ld (hl), b
    add hl, de
    ld (hl), b
    dec l
    ld (hl), b
    dec l
    ld (hl), b
    ret
colour_two:
    ld (hl), b
    inc l
    ld (hl), b
    add hl, de
    ld (hl), b
    dec l
    ld (hl), b
    inc l
    inc l
    call restore_colour
    sbc hl, de
    call restore_colour
    dec l
    dec l
    dec l
    call restore_colour
    add hl, de
    call restore_colour
    ; and the pixels behind it: the column to the left, for one that goes right
    ld a, (ix + GUARD_X)
    sub 8
    call column_of
    ld a, (ix + GUARD_Y)
    call row_address
    ld b, 16
behind_row:
    ld d, h
    ld e, l
    set 7, d
    ld a, (de)
    ld (hl), a
    inc h
    ld a, h
    and 7
    call z, row_wrap
    djnz behind_row
    ret

; HL = address of the colour on the screen at pixel row D, pixel column E.
colours_at:
    call cell_at
    ld a, h
    sub (CELLS - ATTRIBUTES) / 256
    ld h, a
    ret

; The colour at HL is what the cave has there. Keeps all but A; carry clear.
restore_colour:
    set 7, h
    ld a, (hl)
    res 7, h
    ld (hl), a
    or a
    ret
