; SPDX-License-Identifier: GPL-3.0-or-later
; The figures, shifted once for all, so that drawing is only copying.

make_images:
    ld ix, image_list
    ld de, IMAGES
    ld b, KINDS
make_kind:
    push bc
    ld c, 0                     ; pixels to the right
make_shift:
    ; the second picture at every other place: figures stir as they move
    ld l, (ix + 0)
    ld h, (ix + 1)
    bit 1, c
    jr z, make_picture
    ld l, (ix + 2)
    ld h, (ix + 3)
make_picture:
    call shift_picture
    inc c
    inc c
    bit 3, c
    jr z, make_shift
    ld bc, 4
    add ix, bc
    pop bc
    djnz make_kind

; The mothership column by column.
make_ship:
    ld ix, SHIP_IMAGES
    ld c, 0
make_ship_shift:
    ld hl, picture_ship
    ld b, RAIDER_ROWS
make_ship_row:
    push bc
    ld a, (hl)
    inc hl
    ld (ix + 0), a
    ld a, (hl)
    inc hl
    ld (ix + 12), a
    ld a, (hl)
    inc hl
    ld (ix + 24), a
    ld a, (hl)
    inc hl
    ld (ix + 36), a
    ld (ix + 48), 0
    inc c
    jr make_ship_test
make_ship_pixel:
    srl (ix + 0)
    rr (ix + 12)
    rr (ix + 24)
    rr (ix + 36)
    rr (ix + 48)
make_ship_test:
    dec c
    jr nz, make_ship_pixel
    inc ix
    pop bc
    djnz make_ship_row
    ld de, 4 * RAIDER_ROWS
    add ix, de
    inc c
    inc c
    bit 3, c
    jr z, make_ship_shift
    ret

; Twelve rows of two bytes at HL become three bytes at DE, C pixels further right. DE is moved on. Keeps C and IX.
shift_picture:
    ld b, RAIDER_ROWS
shift_row:
    push bc
    ld a, (hl)
    inc hl
    ld b, (hl)
    inc hl
    push hl
    ld h, b
    ld l, 0
    ld b, c
    inc b
    jr shift_test
shift_pixel:
    srl a
    rr h
    rr l
shift_test:
    djnz shift_pixel
    ld (de), a
    inc de
    ld a, h
    ld (de), a
    inc de
    ld a, l
    ld (de), a
    inc de
    pop hl
    pop bc
    djnz shift_row
    ret

image_list:
    defw picture_grub_a, picture_grub_b
    defw picture_crab_a, picture_crab_b
    defw picture_lantern_a, picture_lantern_b
    defw picture_bat_a, picture_bat_b
    defw picture_burst, picture_burst
    defw picture_gun, picture_gun
    defw picture_wreck_a, picture_wreck_b

; Where the image of a kind at a shift is.
image_table:
    defw IMAGES + 0 * IMAGE_SIZE, IMAGES + 1 * IMAGE_SIZE, IMAGES + 2 * IMAGE_SIZE, IMAGES + 3 * IMAGE_SIZE
    defw IMAGES + 4 * IMAGE_SIZE, IMAGES + 5 * IMAGE_SIZE, IMAGES + 6 * IMAGE_SIZE, IMAGES + 7 * IMAGE_SIZE
    defw IMAGES + 8 * IMAGE_SIZE, IMAGES + 9 * IMAGE_SIZE, IMAGES + 10 * IMAGE_SIZE, IMAGES + 11 * IMAGE_SIZE
    defw IMAGES + 12 * IMAGE_SIZE, IMAGES + 13 * IMAGE_SIZE, IMAGES + 14 * IMAGE_SIZE, IMAGES + 15 * IMAGE_SIZE
    defw IMAGES + 16 * IMAGE_SIZE, IMAGES + 17 * IMAGE_SIZE, IMAGES + 18 * IMAGE_SIZE, IMAGES + 19 * IMAGE_SIZE
    defw IMAGES + 20 * IMAGE_SIZE, IMAGES + 21 * IMAGE_SIZE, IMAGES + 22 * IMAGE_SIZE, IMAGES + 23 * IMAGE_SIZE
    defw IMAGES + 24 * IMAGE_SIZE, IMAGES + 25 * IMAGE_SIZE, IMAGES + 26 * IMAGE_SIZE, IMAGES + 27 * IMAGE_SIZE
