; SPDX-License-Identifier: GPL-3.0-or-later
; Shots, bombs and the diver are laid over the picture by XOR, and taken off by the same XOR first of all in the next frame:
; whatever they crossed is as it was. What has been drawn is kept apart from where they are, so that any change of the
; variables between two frames leaves nothing behind.

erase_overlay:
    ld ix, drawn_shots
    ld b, 1 + BOMBS
erase_shot:
    push bc
    ld h, (ix + 1)
    inc h
    dec h
    jr z, erase_next
    ld l, (ix + 0)
    ld (ix + 1), 0
    call flip_shot
erase_next:
    ld bc, 4
    add ix, bc
    pop bc
    djnz erase_shot
    ld hl, (drawn_diver)
    ld a, h
    or a
    ret z
    xor a
    ld (drawn_diver + 1), a
    ld de, (drawn_image)
    jr flip_image

draw_overlay:
    ld ix, drawn_shots
    ld hl, shot_x
    ld b, 1 + BOMBS
draw_shot:
    push bc
    push hl
    ld a, (hl)
    inc hl
    ld b, (hl)
    inc b
    dec b
    jr z, draw_next
    ; the two columns at (x mod 8) of the byte
    ld c, a
    and 6
    ld e, a
    ld d, 0
    ld hl, pairs
    add hl, de
    ld d, (hl)
    ld (ix + 2), d
    ld (ix + 3), d
    pop hl
    push hl
    ld a, l
    cp bombs - score            ; (score) is where a page begins
    jr c, draw_straight
    ; a bomb is four columns wide in its middle, two at its ends
    ld a, d
    rrca
    ld (ix + 2), a
    rrca
    or d
    ld (ix + 3), a
draw_straight:
    ld a, c
    rrca
    rrca
    rrca
    and 31
    ld c, a
    ld a, b
    call row_address
    ld (ix + 0), l
    ld (ix + 1), h
    call flip_shot
draw_next:
    pop hl
    inc hl
    inc hl
    ld bc, 4
    add ix, bc
    pop bc
    djnz draw_shot

    ld a, (diver)
    or a
    ret z
    ld b, a
    ld a, (diver_x)
    ld c, a
    call image_at
    ld (drawn_image), de
    ld a, c
    rrca
    rrca
    rrca
    and 31
    ld c, a
    ld a, (diver_y)
    call row_address
    ld (drawn_diver), hl

; Twelve rows of three bytes: HL = screen, DE = image.
flip_image:
    ld b, RAIDER_ROWS
flip_image_row:
    ld a, (de)
    xor (hl)
    ld (hl), a
    inc de
    inc l
    ld a, (de)
    xor (hl)
    ld (hl), a
    inc de
    inc l
    ld a, (de)
    xor (hl)
    ld (hl), a
    inc de
    dec l
    dec l
    inc h
    ld a, h
    and 7
    call z, row_wrap
    djnz flip_image_row
    ret

; Eight rows: HL = screen, IX + 2 the mask of the first and the last two, IX + 3 that of the others.
flip_shot:
    ld d, (ix + 2)
    ld e, (ix + 3)
    ld b, SHOT_ROWS / 2
flip_pair:
    ld a, (hl)
    xor d
    ld (hl), a
    inc h
    ld a, h
    and 7
    call z, row_wrap
    ld a, (hl)
    xor d
    ld (hl), a
    inc h
    ld a, h
    and 7
    call z, row_wrap
    bit 0, b
    jr nz, flip_next
    ld a, d
    ld d, e
    ld e, a
flip_next:
    djnz flip_pair
    ret

pairs:
    defb %11000000, 0, %00110000, 0, %00001100, 0, %00000011
