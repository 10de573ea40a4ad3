; SPDX-License-Identifier: GPL-3.0-or-later
; The gun's shot: one at a time, straight up, in two steps a frame so that it jumps over nothing.

move_shot:
    call shot_step
shot_step:
    ld hl, shot_y
    ld a, (hl)
    or a
    ret z
    sub SHOT_STEP
    ld (hl), a
    cp SHIP_Y
    jr c, shot_gone
    ld e, a                     ; E = tip, D = column, as long as nothing is hit
    ld a, (shot_x)
    ld d, a
    call wall_at
    jr c, shot_gone
    call shot_at_bombs
    jr c, shot_gone
    call shot_at_ship
    jr c, shot_gone
    call shot_at_diver
    jr c, shot_gone
    call shot_at_raiders
    ret nc
shot_gone:
    xor a
    ld (shot_y), a
    ret

; Carry if a bomb is met: it goes, too.
shot_at_bombs:
    ld hl, bombs
    ld b, BOMBS
shot_bomb:
    ld a, d
    inc a
    sub (hl)
    inc hl
    cp 5
    jr nc, shot_bomb_next
    ld a, (hl)
    or a
    jr z, shot_bomb_next
    sub e
    add a, SHOT_ROWS - 1
    cp 2 * SHOT_ROWS - 1
    jr nc, shot_bomb_next
    ld (hl), 0
    ret                         ; with carry
shot_bomb_next:
    inc hl
    djnz shot_bomb
    or a
    ret

; Carry if the mothership is met. Its hull is columns 2 to 29 of 32.
shot_at_ship:
    ld a, e
    cp SHIP_Y + RAIDER_ROWS
    ret nc
    ld a, (ship)
    or a
    ret z
    cp SHIP_BURST
    jr z, shot_missed_ship
    ld b, a
    ld a, (ship_x)
    ld c, a
    ld a, d
    rrca
    and 127
    add a, 16                   ; in the ship's measure
    sub c
    dec a
    cp 14
    ret nc
    ld a, b
    dec a
    jr nz, shot_at_boss
    call ship_shot
    scf
    ret
shot_at_boss:
    call boss_hit
    scf
    ret
shot_missed_ship:
    or a
    ret

shot_at_diver:
    ld a, (diver)
    or a
    ret z
    cp KIND_BURST
    ret nc
    ld a, (diver_x)
    ld c, a
    ld a, d
    sub c
    cp 15
    ret nc
    ld a, (diver_y)
    ld c, a
    ld a, e
    sub c
    cp RAIDER_ROWS
    ret nc
    call diver_shot
    scf
    ret

shot_at_raiders:
    ld a, (lowest_y)
    add a, RAIDER_ROWS - 1
    cp e
    ccf
    ret nc                      ; it is below all of them
    ld hl, raiders
    ld b, RAIDERS
shot_raider:
    ld a, (hl)
    or a
    jr z, shot_raider_next
    inc l
    ld a, d
    sub (hl)
    cp 15
    jr nc, shot_raider_beside
    inc l
    ld a, e
    sub (hl)
    dec l
    cp RAIDER_ROWS
    jr c, shot_raider_met
shot_raider_beside:
    dec l
shot_raider_next:
    ld a, l
    add a, SLOT_SIZE
    ld l, a
    djnz shot_raider
    or a
    ret
shot_raider_met:
    dec l
    push hl
    pop ix
    call raider_shot
    scf
    ret
