; SPDX-License-Identifier: GPL-3.0-or-later

; O moves the basket left, P right; both together leave it alone.
move_basket:
    ld a, $DF
    in a, ($FE)
    ld hl, basket_x
    and 3                       ; bit 0 P, bit 1 O; 0 means pressed
    cp 1
    jr z, move_left
    cp 2
    ret nz

    ld a, (hl)
    add a, BASKET_STEP
    cp BASKET_MAX
    jr c, move_done
    ld a, BASKET_MAX
    jr move_done
move_left:
    ld a, (hl)
    sub BASKET_STEP
    cp BASKET_MIN
    jr nc, move_done
    ld a, BASKET_MIN
move_done:
    ld (hl), a
    ret

; Eight images of the basket, each a pixel further right, 5 bytes a row: made once, so that drawing is only copying.
shift_basket:
    ld de, BASKET_IMAGES
    ld c, 0                     ; pixels to the right
shift_image:
    ld hl, picture_basket
    ld b, 16
shift_row:
    push bc
    ; the row as it is, and a blank fifth byte
    push de
    ld a, c
    ldi
    ldi
    ldi
    ldi
    ex de, hl
    ld (hl), 0
    ex de, hl
    ex (sp), hl                 ; HL = the row's image; the picture waits on the stack
    or a
    jr z, shift_row_done
shift_pixel:
    push hl
    srl (hl)
    inc hl
    rr (hl)
    inc hl
    rr (hl)
    inc hl
    rr (hl)
    inc hl
    rr (hl)
    pop hl
    dec a
    jr nz, shift_pixel
shift_row_done:
    inc de
    pop hl
    pop bc
    djnz shift_row
    inc c
    bit 3, c
    jr z, shift_image
    ret

; Draws the basket over whatever is there: an acorn that falls in front of it vanishes behind its rim.
draw_basket:
    ld a, (basket_x)
    rrca
    rrca
    rrca
    and 31
    ld hl, basket_column
    ld c, (hl)
    ld (hl), a
    cp c
    jr z, draw_basket_here
    ; It has crossed into another column: blank the one it has left, to its left or to its right.
    ld a, c
    jr c, draw_basket_left
    jr draw_basket_wipe
draw_basket_left:
    add a, 4
draw_basket_wipe:
    ld c, a
    ld a, BASKET_Y
    ld b, 16
    call row_address
draw_basket_blank:
    ld (hl), 0
    call next_row
    djnz draw_basket_blank

draw_basket_here:
    ; DE = the image of shift basket_x mod 8: 80 bytes each
    ld a, (basket_x)
    and 7
    ld l, a
    ld h, 0
    add hl, hl
    add hl, hl
    add hl, hl
    add hl, hl                  ; 16n
    ld d, h
    ld e, l
    add hl, hl
    add hl, hl                  ; 64n
    add hl, de
    ld de, BASKET_IMAGES
    add hl, de
    ex de, hl

    ld a, (basket_column)
    ld c, a
    ld a, BASKET_Y
    call row_address
    ex de, hl
    ld a, 16
draw_basket_row:
    push de
    ldi
    ldi
    ldi
    ldi
    ldi
    pop de
    ex de, hl
    ld b, a
    call next_row
    ld a, b
    ex de, hl
    dec a
    jr nz, draw_basket_row

    ; colours: two lines of five cells
    ld a, (basket_column)
    ld l, a
    ld h, 0
    ld de, ATTRIBUTES + BASKET_Y / 8 * 32
    add hl, de
    ld de, 32 - 4
    ld a, INK_BASKET
    ld b, 2
draw_basket_colour:
    ld (hl), a
    inc l
    ld (hl), a
    inc l
    ld (hl), a
    inc l
    ld (hl), a
    inc l
    ld (hl), a
    add hl, de
    djnz draw_basket_colour
    ret
