; SPDX-License-Identifier: GPL-3.0-or-later
; All images of all figures, made once at the start, so that drawing is only copying.

; Across: for each kind eight images to the right, each a pixel further, then eight mirrored ones to the left, 3 bytes a
; row. Which of its pictures a figure shows depends on its column, so legs move only with the ground.
; Upright: two images of 18 rows, 2 bytes a row: the blank row above and below wipes the row that a figure leaves.
make_images:
    ld de, IMAGES_ACROSS
    ld hl, across_pictures
    ld b, ACROSS_KINDS
make_kind:
    push bc
    push hl
    ld c, 0
make_right:
    push hl
    call picture_pointer
    call shift_picture
    pop hl
    inc hl
    inc hl
    inc c
    bit 3, c
    jr z, make_right
    pop hl
    ld c, 0
make_left:
    push hl
    call picture_pointer
    call mirror_picture
    call shift_picture
    pop hl
    inc hl
    inc hl
    inc c
    bit 3, c
    jr z, make_left
    pop bc
    djnz make_kind

    ld de, IMAGES_UPRIGHT
    ld hl, upright_pictures
    ld b, UPRIGHT_KINDS * 2
make_upright:
    push bc
    push hl
    call picture_pointer
    call blank_row
    ld bc, 32
    ldir
    call blank_row
    pop hl
    inc hl
    inc hl
    pop bc
    djnz make_upright
    ret

blank_row:
    xor a
    ld (de), a
    inc de
    ld (de), a
    inc de
    ret

picture_pointer:
    ld a, (hl)
    inc hl
    ld h, (hl)
    ld l, a
    ret

; HL = picture, DE = where its image goes, C = pixels to the right. Moves DE on, keeps C.
shift_picture:
    ld b, 16
shift_row:
    push bc
    ld a, (hl)
    inc hl
    push hl
    ld h, (hl)
    ld l, 0
    ; A, H, L = the row; C times a pixel to the right
    inc c
shift_pixel:
    dec c
    jr z, shift_done
    srl a
    rr h
    rr l
    jr shift_pixel
shift_done:
    ld (de), a
    inc de
    ld a, h
    ld (de), a
    inc de
    ld a, l
    ld (de), a
    inc de
    pop hl
    inc hl
    pop bc
    djnz shift_row
    ret

; HL = picture; HL = its mirror image. Keeps BC and DE.
mirror_picture:
    push bc
    push de
    ld de, mirrored
    ld b, 16
mirror_row:
    push bc
    ld b, (hl)
    inc hl
    ld c, (hl)
    inc hl
    push hl
    ; BC backwards into HL
    ld a, 16
mirror_pixel:
    srl b
    rr c
    adc hl, hl
    dec a
    jr nz, mirror_pixel
    ex de, hl
    ld (hl), d
    inc hl
    ld (hl), e
    inc hl
    ex de, hl
    pop hl
    pop bc
    djnz mirror_row
    ld hl, mirrored
    pop de
    pop bc
    ret

mirrored:
    defs 32

; The picture for each of the eight columns within a cell.
across_pictures:
    defw picture_pip_a, picture_pip_a, picture_pip_b, picture_pip_b, picture_pip_c, picture_pip_c, picture_pip_b, picture_pip_b
    defw picture_beetle_a, picture_beetle_a, picture_beetle_b, picture_beetle_b
    defw picture_beetle_a, picture_beetle_a, picture_beetle_b, picture_beetle_b
    defw picture_bat_a, picture_bat_a, picture_bat_a, picture_bat_a, picture_bat_b, picture_bat_b, picture_bat_b, picture_bat_b
    defw picture_cart_a, picture_cart_a, picture_cart_b, picture_cart_b, picture_cart_a, picture_cart_a, picture_cart_b, picture_cart_b
    defw picture_worm_a, picture_worm_a, picture_worm_a, picture_worm_a, picture_worm_b, picture_worm_b, picture_worm_b, picture_worm_b
upright_pictures:
    defw picture_spider_a, picture_spider_b
    defw picture_wisp_a, picture_wisp_b
    defw picture_drip_a, picture_drip_a
