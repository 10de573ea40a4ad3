; SPDX-License-Identifier: GPL-3.0-or-later
; What of a cave has to be found again each frame: its keys and its conveyors.

; HL = cell with a key. Keeps B, DE and HL.
list_key:
    push de
    push hl
    ex de, hl
    ld hl, keys_left
    ld a, (hl)
    inc (hl)
    add a, a
    ld l, a
    ld h, 0
    push bc
    ld bc, key_cells
    add hl, bc
    pop bc
    ld (hl), e
    inc hl
    ld (hl), d
    pop hl
    pop de
    ret

; Stretches of conveyor: cells in a row that run the same way.
list_belts:
    ld ix, belts
    ld hl, CELLS + ROOM_LINE * 32
    ld bc, ROOM_CELLS
belt_look:
    ld a, (hl)
    bit BIT_CRUMBLING, a
    jr nz, belt_none
    bit BIT_BELT, a
    jr nz, belt_found
belt_none:
    inc hl
    dec bc
    ld a, b
    or c
    jr nz, belt_look
    ld (ix + 1), a
    ret
belt_found:
    call cell_on_screen
    ld (ix + 0), e
    ld (ix + 2), d
    ld e, (hl)
    ld d, 0
belt_cell:
    inc d
    inc hl
    dec bc
    ld a, (hl)
    cp e
    jr z, belt_cell
    ld (ix + 1), d
    ld a, e
    rrca                        ; bit 0: to the right
    ld a, 1
    jr c, belt_way
    ld a, 255
belt_way:
    ld (ix + 3), a
    ld de, 4
    add ix, de
    jr belt_look
