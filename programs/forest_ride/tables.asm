; SPDX-License-Identifier: GPL-3.0-or-later
; Everything that is looked up, made once at the start.

make_tables:
    call make_images
    ; frames are counted
    ld hl, count_frame
    ld (VECTOR_ENTRY + 1), hl
    ; bits of the two edges of a trunk
    ld hl, LEFT_BITS
    ld a, 255
make_left:
    ld (hl), a
    inc l
    srl a
    jr nz, make_left
    ld a, 128
make_right:
    ld (hl), a
    inc l
    sra a
    cp 255
    jr nz, make_right
    ld (hl), a

    ; rows of the view
    ld b, 0
make_row:
    ld c, 0
    ld a, b
    add a, VIEW_Y
    call row_address
    ex de, hl
    ld h, ROW_LOW / 256
    ld l, b
    ld (hl), e
    set 7, l
    ld (hl), d
    inc b
    ld a, b
    cp VIEW_ROWS
    jr nz, make_row

    ; perspective, for each distance z: a constant / (z + 16)
    ld b, 0
make_distance:
    ld l, b
    ld h, SCALE / 256
    ld de, 2304                 ; 16 x 9 x 16
    ld a, b
    cp FAR
    jr c, make_near
    ld de, 9216                 ; 64 x 9 x 16
make_near:
    call over_distance
    ld de, 9 * 144
    ld l, b
    ld h, BASE / 256
    set 7, l
    call over_distance
    ld a, (hl)
    add a, HORIZON
    cp VIEW_ROWS
    jr c, make_base
    ld a, VIEW_ROWS
make_base:
    ld (hl), a
    ld de, 648                  ; 4.5 x 9 x 16
    ld l, b
    ld h, WIDTH / 256
    call over_distance
    inc b
    jp p, make_distance

    ; the painter: for each row, from the last one up, LD (HL), D and the step to the row above
    ld de, PAINTER
    ld b, VIEW_ROWS
make_row_code:
    ld h, UP_LOW / 256
    ld l, b
    ld (hl), e
    inc h
    ld (hl), d
    ld a, $72                   ; LD (HL), D
    ld (de), a
    inc de
    dec b
    jr z, make_end
    ld a, b
    and 7
    ld a, $25                   ; DEC H
    jr nz, make_step
    ; to the line above: LD A, L; SUB C; LD L, A; LD H, its last row
    push bc
    ld hl, painter_line
    ld bc, 4
    ldir
    pop bc
    ld a, b
    dec a
    or 128
    ld l, a
    ld h, ROW_LOW / 256
    ld a, (hl)
make_step:
    ld (de), a
    inc de
    jr make_row_code
make_end:
    ld a, $C9                   ; RET
    ld (de), a
    ret
painter_line:
    defb $7D, $91, $6F, $26

count_frame:
    push af
    ld a, (ticks)
    inc a
    ld (ticks), a
    pop af
    ei
    ret

; (HL) = DE / (B + 16), rounded. Keeps B and HL.
over_distance:
    push hl
    ld a, b
    add a, 16
    ld l, a
    ld h, 0
    ex de, hl
    srl e
    add hl, de
    ld e, a
    ld c, 255
over_take:
    inc c
    or a
    sbc hl, de
    jr nc, over_take
    pop hl
    ld (hl), c
    ret
