; SPDX-License-Identifier: GPL-3.0-or-later

; Bombs fall until they meet a wall, the gun or the ground.
move_bombs:
    ld hl, bombs
    ld b, BOMBS
bomb_move:
    push bc
    ld d, (hl)
    inc hl
    ld a, (hl)
    or a
    jr z, bomb_next
    ld bc, (bomb_speed)
    add a, c
    ld (hl), a
    add a, SHOT_ROWS - 1
    ld e, a                     ; D = column, E = the lowest row
    cp GROUND_Y
    jr nc, bomb_gone
    inc d                       ; its middle
    push hl
    call wall_at
    pop hl
    jr c, bomb_gone
    ld a, e
    cp GUN_Y
    jr c, bomb_next
    ld a, (player_x)
    ld c, a
    ld a, d
    inc a
    sub c
    cp GUN_WIDTH + 1
    jr nc, bomb_next
    push hl
    call gun_hit
    pop hl
bomb_gone:
    ld (hl), 0
bomb_next:
    inc hl
    pop bc
    djnz bomb_move
    ret

; Another bomb when it is time: half of them from a raider above the gun, if there is one, else from a column by chance, and
; always from its lowest raider. The boss drops every other one in its wave.
drop_bomb:
    ld hl, bomb_clock
    dec (hl)
    ret nz
    ld (hl), 1                  ; if nothing comes of it: again in the next frame
    ld hl, bombs + 1
    ld b, BOMBS
bomb_seek:
    ld a, (hl)
    or a
    jr z, bomb_free
    inc hl
    inc hl
    djnz bomb_seek
    ret
bomb_free:
    push hl
    call bomb_source
    pop hl
    ret nc
    ; D = column, E = row
    ld a, d
    and 6
    cp 6
    jr nz, bomb_fits
    dec d                       ; four columns within a byte
    dec d
bomb_fits:
    ld (hl), e
    dec hl
    ld (hl), d
    ld a, (bomb_period)
    ld (bomb_clock), a
    ret

; Carry: a bomb leaves from column D, row E.
bomb_source:
    call random
    rrca
    jr c, bomb_aimed
    rrca
    jr nc, bomb_by_chance
    ld a, (ship)
    cp SHIP_BOSS
    jr nz, bomb_by_chance
    ld a, (ship_x)
    sub 16 - 7                  ; from the middle of its hull
    add a, a
    ld d, a
    ld e, SHIP_Y + RAIDER_ROWS
    scf
    ret
bomb_aimed:
    ld b, COLUMNS
bomb_look:
    ld a, b
    dec a
    call lowest_raider
    jr nc, bomb_look_next
    ld a, (player_x)
    sub (ix + RAIDER_X)
    add a, PLACE_WIDTH / 2
    cp PLACE_WIDTH
    jr c, bomb_from
bomb_look_next:
    djnz bomb_look
bomb_by_chance:
    ld a, COLUMNS
    call random_below
    call lowest_raider
    ret nc
bomb_from:
    ld a, (ix + RAIDER_X)
    add a, 6
    ld d, a
    ld a, (ix + RAIDER_Y)
    add a, RAIDER_ROWS
    ld e, a
    scf
    ret

; IX = the lowest raider in column A of the formation; no carry if there is none. Keeps BC and DE.
lowest_raider:
    add a, a
    add a, a
    ld ix, raiders
    add a, ixl
    ld ixl, a
    push bc
    ld b, ROWS
lowest_look:
    ld a, (ix + KIND)
    add a, 255                  ; carry if it is not 0
    jr c, lowest_found
    ld a, COLUMNS * SLOT_SIZE
    add a, ixl
    ld ixl, a
    djnz lowest_look
    or a
lowest_found:
    pop bc
    ret

; Shot, bombs and diver leave the sky.
clear_shots:
    xor a
    ld hl, shot_x
    ld b, 2 + 2 * BOMBS
clear_shot:
    ld (hl), a
    inc hl
    djnz clear_shot
    ld hl, diver
    ld a, (hl)
    ld (hl), KIND_NONE
    or a
    ret z
    cp KIND_BURST
    ret z
    ld hl, raiders_left
    dec (hl)
    ret
