; SPDX-License-Identifier: GPL-3.0-or-later
; The formation. Raiders take their turns, a few each frame, so the fewer there are the faster they get. In a turn each
; moves two columns, or, after one has got to the edge, down a line: the bottom row first, so nobody meets anybody. Two
; neighbours are never more than one step out of time and keep clear of each other's cells.

march:
    ld a, (burst)
    or a
    jr nz, march_waits
    ld a, (marching)
    or a
    ret z
    inc a
    srl a
    ld hl, wave_moves
    cp (hl)
    jr c, march_moves
    ld a, (hl)
march_moves:
    or a
    ret z
    ld b, a
march_turn:
    push bc
    call march_one
    pop bc
    djnz march_turn
    ret

; While a burst is in the sky all stand still.
march_waits:
    ld hl, burst_clock
    dec (hl)
    ret nz
; The burst goes.
end_burst:
    ld a, (burst)
    or a
    ret z
    push ix
    ld ix, burst
    ld (ix + KIND), KIND_NONE
    call wipe_raider
    pop ix
    ret

; The next raider moves.
march_one:
    ld hl, (march_next)
march_seek:
    ld a, l
    cp raiders_end - score      ; (score) is where a page begins
    call z, end_turn
    ld a, (hl)
    or a
    jr nz, march_found
    ld a, l
    add a, SLOT_SIZE
    ld l, a
    jr march_seek
march_found:
    push hl
    pop ix
    ld a, l
    add a, SLOT_SIZE
    ld l, a
    ld (march_next), hl
    ld a, (march_drop)
    or a
    jr nz, move_down

; IX = raider
move_across:
    ld a, (march_dx)
    ld c, a
    add a, (ix + RAIDER_X)
    ld (ix + RAIDER_X), a
    ld hl, march_edge
    bit 7, c
    jr nz, across_left
    cp MARCH_RIGHT
    jr c, across_step
    ld (hl), 1
    jr across_step
across_left:
    cp MARCH_LEFT + 1
    jr nc, across_step
    ld (hl), 1
across_step:
    ; A raider that just fills two columns has left the third.
    ld b, a
    and 7
    jp nz, draw_raider
    ld a, b
    rrca
    rrca
    rrca
    bit 7, c
    ld c, a
    jr z, across_behind
    inc c
    inc c
    inc c
across_behind:
    dec c
    ld a, c
    call wipe_column
    jp draw_raider

; IX = raider
move_down:
    ld b, 1                     ; the upper of its two lines
    call wipe_lines
    ld a, (ix + RAIDER_Y)
    add a, MARCH_DROP
    ld (ix + RAIDER_Y), a
    ld hl, lowest_y
    cp (hl)
    jr c, down_higher
    ld (hl), a
down_higher:
    cp LAND_Y
    call nc, raider_landed
    ld a, (ix + RAIDER_Y)
    cp WALL_TOUCH_Y
    call nc, tear_walls
    jp draw_raider

; All have had their turn. HL = the first raider.
end_turn:
    ld hl, march_drop
    ld a, (hl)
    ld (hl), 0
    or a
    jr nz, turn_begins
    ld hl, march_edge
    ld a, (hl)
    ld (hl), 0
    or a
    jr z, turn_begins
    ld (march_drop), a
    ld hl, march_dx
    xor a
    sub (hl)
    ld (hl), a
turn_begins:
    call find_lowest
    call play_march
    ld hl, raiders
    ret

; The row of the lowest raider on the march, which is the first one in the list.
find_lowest:
    ld hl, raiders
    ld b, RAIDERS
lowest_seek:
    ld a, (hl)
    or a
    jr nz, lowest_row
    inc hl
    inc hl
    inc hl
    inc hl
    djnz lowest_seek
    xor a
    jr lowest_set
lowest_row:
    inc hl
    inc hl
    ld a, (hl)
lowest_set:
    ld (lowest_y), a
    ret
