; SPDX-License-Identifier: GPL-3.0-or-later
; All figures, shifted by 0 to 7 columns: made once at the start, so that drawing is only copying. A shifted figure is four
; columns of bytes, one after the other.

IMAGE_RIDER_A equ IMAGES
IMAGE_RIDER_B equ IMAGE_RIDER_A + 28 * 32
IMAGE_RIDER_C equ IMAGE_RIDER_B + 22 * 32
IMAGE_RIDER_D equ IMAGE_RIDER_C + 15 * 32
IMAGE_BURST_A equ IMAGE_RIDER_D + 10 * 32
IMAGE_BURST_B equ IMAGE_BURST_A + 24 * 32
IMAGE_BURST_C equ IMAGE_BURST_B + 18 * 32
IMAGE_BOLT_A equ IMAGE_BURST_C + 12 * 32
IMAGE_BOLT_B equ IMAGE_BOLT_A + 8 * 32
IMAGE_BOLT_C equ IMAGE_BOLT_B + 5 * 32

make_images:
    ld ix, figure_pictures
    ld de, IMAGES
    ld b, FIGURES
image_figure:
    push bc
    ld c, 0
image_shift:
    push bc
    ld l, (ix + 1)
    ld h, (ix + 2)
    ld b, (ix + 0)
    push de
image_row:
    push bc
    push de
    ; D, E, B, A = the row, C times a column to the right
    ld d, (hl)
    inc hl
    ld e, (hl)
    inc hl
    ld b, (hl)
    inc hl
    xor a
    inc c
image_step:
    dec c
    jr z, image_shifted
    srl d
    rr e
    rr b
    rra
    jr image_step
image_shifted:
    ld c, a
    ld a, d
    ld (image_bytes), a
    ld a, e
    ld (image_bytes + 1), a
    ld (image_bytes + 2), bc
    pop de
    push de
    push hl
    ; each byte goes into its own column
    ld hl, image_bytes
    ld a, (hl)
    ld (de), a
    inc hl
    call image_next
    inc hl
    inc hl
    call image_next
    dec hl
    call image_next
    pop hl
    pop de
    inc de
    pop bc
    djnz image_row
    pop hl
    ; DE = the next shift: four columns on
    ld a, (ix + 0)
    add a, a
    add a, a
    ld e, a
    ld d, 0
    add hl, de
    ex de, hl
    pop bc
    inc c
    bit 3, c
    jr z, image_shift
    pop bc
    inc ix
    inc ix
    inc ix
    djnz image_figure
    ret
image_next:
    push hl
    ld l, (ix + 0)
    ld h, 0
    add hl, de
    ex de, hl
    pop hl
    ld a, (hl)
    ld (de), a
    ret
image_bytes:
    defb 0, 0, 0, 0

; Rows and picture of each, in the order of the images.
FIGURES equ 10
figure_pictures:
    defb 28
    defw picture_rider_a
    defb 22
    defw picture_rider_b
    defb 15
    defw picture_rider_c
    defb 10
    defw picture_rider_d
    defb 24
    defw picture_burst_a
    defb 18
    defw picture_burst_b
    defb 12
    defw picture_burst_c
    defb 8
    defw picture_bolt_a
    defb 5
    defw picture_bolt_b
    defb 3
    defw picture_bolt_c
