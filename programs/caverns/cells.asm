; SPDX-License-Identifier: GPL-3.0-or-later
; What is where in the cave.

; HL = the cell of the player's body at pixel row D: the left one of two, or the only one if Z. Keeps BC.
body_cell:
    ld a, (player_x)
    add a, BODY_LEFT
    ld e, a
    call cell_at
    ld a, e
    and 7
    ret

; The same for the row below the feet.
below_feet:
    ld a, (player_y)
    add a, 16
    ld d, a
    jr body_cell

; HL = the cell at pixel row D, pixel column E. Keeps BC and DE.
cell_at:
    ld a, d
    and $F8
    ld l, a
    ld h, 0
    add hl, hl
    add hl, hl
    ld a, e
    rrca
    rrca
    rrca
    and 31
    or l
    ld l, a
    ld a, h
    add a, CELLS / 256
    ld h, a
    ret

; HL = address of a cell; DE = the top row of it on the screen. Keeps HL and BC.
cell_on_screen:
    ld e, l
    ld a, h
    sub CELLS / 256
    add a, a
    add a, a
    add a, a
    or SCREEN / 256
    ld d, a
    ret

; HL = address of a cell: it becomes empty, in the cave and in the picture.
empty_cell:
    ld (hl), CELL_EMPTY
    push hl
    call cell_on_screen
    ld b, 8
    xor a
empty_row:
    ld (de), a
    set 7, d
    ld (de), a
    res 7, d
    inc d
    djnz empty_row
    pop hl
    push hl
    ld a, h
    sub (CELLS - BUFFER_ATTRIBUTES) / 256
    ld h, a
    ld a, (room_back)
    ld (hl), a
    res 7, h
    ld (hl), a
    pop hl
    ret

; The crumbling floor under the feet loses a row every fourth frame, from below; without rows it is gone.
wear_floor:
    ld a, (room_frames)
    and 3
    ret nz
    call below_feet
    jr z, wear_cell
    push hl
    inc l
    call wear_cell
    pop hl
wear_cell:
    bit BIT_CRUMBLING, (hl)
    ret z
    inc (hl)
    ld a, (hl)
    and 7
    jr z, empty_cell            ; 0x48 + 8 = 0x50
    push hl
    neg
    add a, 8
    ld b, a                     ; the row to wipe: 7, 6, ... 1
    call cell_on_screen
    ld a, d
    add a, b
    ld d, a
    xor a
    ld (de), a
    set 7, d
    ld (de), a
    pop hl
    ret
