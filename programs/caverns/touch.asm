; SPDX-License-Identifier: GPL-3.0-or-later
; What the player's body meets.

; Keys are taken, plants and spikes kill: all cells that the body overlaps, two or three rows of one or two.
touch_cells:
    ld a, (player_y)
    ld d, a
    and 7
    ld b, 2
    jr z, touch_from
    inc b
touch_from:
    call body_cell
    ld c, 0                     ; 0 if the body is one cell wide
    jr z, touch_row
    inc c
touch_row:
    call touch_cell
    ld a, c
    or a
    jr z, touch_next
    inc l
    call touch_cell
    dec l
touch_next:
    ld de, 32
    add hl, de
    djnz touch_row
    ret

; HL = cell. Keeps HL and BC.
touch_cell:
    ld a, (hl)
    and (1 << BIT_DEADLY) | (1 << BIT_KEY)
    ret z
    push hl
    push bc
    and 1 << BIT_KEY
    jr z, touch_deadly
    call key_taken
    jr touch_done
touch_deadly:
    ld a, CAUSE_DEADLY
    call died
touch_done:
    pop bc
    pop hl
    ret

touch_guardians:
    ld ix, guardians
    ld b, SLOTS
touch_guardian:
    ld a, (ix + KIND)
    inc a
    jr z, touch_other           ; KIND_NONE
    ld a, (player_x)
    sub (ix + GUARD_X)
    jr nc, touch_x
    neg
touch_x:
    cp TOUCH_X
    jr nc, touch_other
    ld a, (player_y)
    sub (ix + GUARD_Y)
    jr nc, touch_y
    neg
touch_y:
    cp TOUCH_Y
    jr nc, touch_other
    ld a, CAUSE_GUARDIAN
    push bc
    call died
    pop bc
touch_other:
    ld de, SLOT_SIZE
    add ix, de
    djnz touch_guardian
    ret

; The open door lets the player through who covers half of it.
touch_exit:
    ld a, (exit_open)
    ld hl, mode
    and (hl)
    dec a                       ; open and MODE_PLAYING are both 1
    ret nz
    ld hl, exit_x
    ld a, (player_x)
    sub (hl)
    jr nc, exit_across
    neg
exit_across:
    cp 8
    ret nc
    inc hl
    ld a, (player_y)
    sub (hl)
    jr nc, exit_upright
    neg
exit_upright:
    cp 8
    ret nc
    jp room_done

; HL = the cell of a key: it is gone.
remove_key:
    call empty_cell
    ld b, KEYS
    ld de, key_cells
remove_look:
    ld a, (de)
    inc de
    cp l
    ld a, (de)
    jr nz, remove_next
    cp h
    jr nz, remove_next
    xor a
    ld (de), a
    ret
remove_next:
    inc de
    djnz remove_look
    ret
