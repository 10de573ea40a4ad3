; SPDX-License-Identifier: GPL-3.0-or-later
; The acorns. The sky is black and empty, so nothing need be saved: an acorn wipes the rows that it leaves and is then
; drawn whole. Its colour goes to the cells it touches; a cell that it has left is empty and may keep any ink.

draw_acorns:
    ld ix, acorns
    ld b, SLOTS
draw_slot:
    push bc
    ld a, (ix + KIND)
    or a
    call nz, draw_acorn
    ld bc, SLOT_SIZE
    add ix, bc
    pop bc
    djnz draw_slot
    ret

; IX = acorn
draw_acorn:
    ; C = character column, D = first row on the screen that the acorn covers there now
    ld a, (ix + PLACE_X)
    rrca
    rrca
    rrca
    ld c, a
    ld a, (ix + DRAWN_Y)
    call below_leaves
    ld d, a
    ld a, (ix + PHASE)
    cp PHASE_GONE
    jr z, draw_gone

    ld a, (ix + Y)
    ld (ix + DRAWN_Y), a
    sub d                       ; so many rows are uncovered
    jr c, draw_whole
    jr z, draw_whole
    ld b, a
    ld a, d
    call wipe_rows

draw_whole:
    ld hl, picture_acorn_good
    ld b, INK_GOOD
    ld a, (ix + KIND)
    cp KIND_GOOD
    jr z, draw_kind
    ld hl, picture_acorn_rotten
    ld b, INK_ROTTEN
draw_kind:
    ; the part behind the leaves is left out: two bytes of the picture for each hidden row
    ld e, (ix + Y)
    ld a, e
    call below_leaves
    ld d, a
    sub e
    cp 16
    ret nc                      ; hidden altogether
    push de
    ld e, a
    ld d, 0
    add hl, de
    add hl, de
    pop de
    neg
    add a, 16
    push bc
    push de
    ld b, a
    ld a, d
    call draw_rows
    pop de
    pop bc
    ; from the cell of row D to the cell of the last row, E + 15
    ld a, e
    add a, 15
    and $F8
    ld e, a
    ld a, d
    and $F8
    jp colour_cells

draw_gone:
    ld (ix + KIND), KIND_NONE
    ld a, (ix + DRAWN_Y)
    add a, 16
    sub d
    ld b, a
    ld a, d
    jp wipe_rows

; A = the lower of row A and the first row under the leaves.
below_leaves:
    cp LEAVES_Y
    ret nc
    ld a, LEAVES_Y
    ret

; Two bytes a row. A = first row, B = rows, C = character column, HL = picture.
draw_rows:
    ex de, hl
    call row_address
draw_row:
    ld a, (de)
    ld (hl), a
    inc de
    inc l
    ld a, (de)
    ld (hl), a
    inc de
    dec l
    call next_row
    djnz draw_row
    ret

; Blank two bytes a row. A = first row, B = rows, C = character column.
wipe_rows:
    call row_address
wipe_row:
    xor a
    ld (hl), a
    inc l
    ld (hl), a
    dec l
    call next_row
    djnz wipe_row
    ret

; Two cells a line of characters. A to E = pixel rows, multiples of 8; B = colour, C = character column.
colour_cells:
    ld l, a
    ld h, 0
    ld d, h
    add hl, hl
    add hl, hl
    sub e
    neg
    rrca
    rrca
    rrca
    inc a                       ; lines
    ld e, c
    add hl, de
    ld de, ATTRIBUTES
    add hl, de
    ld de, 31
colour_line:
    ld (hl), b
    inc l
    ld (hl), b
    add hl, de
    dec a
    jr nz, colour_line
    ret

#include "row_address.asm"

; HL = the same column, one pixel row down.
next_row:
    inc h
    ld a, h
    and 7
    ret nz
#include "row_wrap.asm"
