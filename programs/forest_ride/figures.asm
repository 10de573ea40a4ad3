; SPDX-License-Identifier: GPL-3.0-or-later
; Riders, bursts and bolts.

SHAPE_SIZE equ 8

; Lists the figures of this turn: where each one is to be drawn, and which image.
shape_figures:
    xor a
    ld (shapes), a
    ld iy, shape_list
    ld ix, riders
    ld b, SLOTS
shape_slot:
    push bc
    ld a, (ix + STATE)
    or a
    call nz, shape_rider
    ld bc, SLOT_SIZE
    add ix, bc
    pop bc
    djnz shape_slot

    ld a, (bolt_z)
    or a
    ret z
    ld c, a
    ld a, (bolt_x)
    call project
    ret c
    ld a, (ink_bolt)
    ld (iy + 4), a
    push hl
    ld b, BASE / 256
    set 7, c
    ld a, (bc)
    res 7, c
    ld (iy + 3), a
    srl a
    srl a
    ld b, a
    ld a, (iy + 3)
    sub b
    ld (iy + 1), a              ; it flies above the ground
    ld hl, bolt_sizes
    jr shape_size

; IX = rider
shape_rider:
    ld c, (ix + RIDER_Z)
    ld a, (ix + RIDER_X)
    call project
    ret c
    push hl
    ld hl, rider_sizes
    ld a, (ix + STATE)
    cp RIDER_SHOT
    ld a, (ink_rider)
    jr nz, shape_ink
    ld hl, burst_sizes
    ld a, (ix + RIDER_TIME)
    rrca
    and 3
    add a, 3                    ; magenta, green, cyan, yellow
shape_ink:
    ld (iy + 4), a
    ld b, BASE / 256
    set 7, c
    ld a, (bc)
    res 7, c
    ld (iy + 3), a
    ld (iy + 1), a
    ; falls through

; HL = sizes, C = distance, on the stack the column of its middle.
shape_size:
    ld a, c
shape_range:
    cp (hl)
    inc hl
    jr c, shape_found
    ld de, 5
    add hl, de
    jr shape_range
shape_found:
    ld a, (hl)                  ; rows
    ld (iy + 2), a
    ld b, a
    neg
    add a, (iy + 1)
    ld (iy + 1), a
    inc hl
    ld b, (hl)                  ; columns with ink
    inc hl
    ld c, (hl)
    inc hl
    ld e, (hl)
    inc hl
    ld d, (hl)                  ; DE = images
    pop hl
    push bc
    ld a, l
    sub 12
    ld l, a
    jr nc, shape_place
    dec h
shape_place:
    ; C = how far to shift, (IY + 0) = first column
    ld a, l
    and 7
    ld (iy + 7), a
    ld c, a
    sra h
    rr l
    sra h
    rr l
    sra h
    rr l
    ld (iy + 0), l
    ; the image: four columns of rows for each shift
    ld l, (iy + 2)
    ld h, 0
    add hl, hl
    add hl, hl
    ex de, hl
    inc c
    jr shape_shift
shape_more:
    add hl, de
shape_shift:
    dec c
    jr nz, shape_more
    ; columns of bytes without ink are left out
    pop bc
    ld e, (iy + 2)
    ld d, 0
    ld a, (iy + 7)
    add a, c
    rrca
    rrca
    rrca
    and 3
    ld c, a                     ; the last one
    ld a, (iy + 7)
    add a, b
    rrca
    rrca
    rrca
    and 3
    ld b, a                     ; the first one
    ld a, c
    sub b
    inc a
    ld (iy + 7), a
    ld a, b
    add a, (iy + 0)
    ld (iy + 0), a
    inc b
    jr shape_first
shape_blank:
    add hl, de
shape_first:
    djnz shape_blank
    ld (iy + 5), l
    ld (iy + 6), h
    ld hl, shapes
    inc (hl)
    ld bc, SHAPE_SIZE
    add iy, bc
    ret

; For each range: the distance at which it ends, rows, first and last column with ink, images.
rider_sizes:
    defb 26, 28, 1, 22
    defw IMAGE_RIDER_A
    defb 42, 22, 3, 20
    defw IMAGE_RIDER_B
    defb 66, 15, 7, 16
    defw IMAGE_RIDER_C
    defb 255, 10, 8, 15
    defw IMAGE_RIDER_D
burst_sizes:
    defb 26, 24, 2, 21
    defw IMAGE_BURST_A
    defb 50, 18, 5, 18
    defw IMAGE_BURST_B
    defb 255, 12, 7, 15
    defw IMAGE_BURST_C
bolt_sizes:
    defb 10, 8, 8, 15
    defw IMAGE_BOLT_A
    defb 30, 5, 10, 14
    defw IMAGE_BOLT_B
    defb 255, 3, 11, 13
    defw IMAGE_BOLT_C
