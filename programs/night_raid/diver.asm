; SPDX-License-Identifier: GPL-3.0-or-later
; One raider at a time leaves the formation and comes down on the gun. It steers until it is close, so it can be dodged; the
; ground, a wall or the gun ends it.

STEERS_Y equ 116                ; below, it keeps its way
DIVER_X_END equ 241

move_diver:
    ld ix, diver
    ld a, (ix + KIND)
    or a
    ret z
    ld hl, diver_clock
    cp KIND_BURST
    jr z, diver_burns
    inc (hl)
    ld b, (hl)                  ; B = clock
    ld a, (dive_speed)
    add a, (ix + RAIDER_Y)
    ld (ix + RAIDER_Y), a
    cp STEERS_Y
    jr nc, diver_slides
    ld a, b
    and 7
    call z, steer_diver
diver_slides:
    bit 0, b
    jr z, diver_meets
    ld a, (diver_dx)
    add a, (ix + RAIDER_X)
    cp DIVER_X_END
    jr nc, diver_meets
    ld (ix + RAIDER_X), a
diver_meets:
    ld a, (ix + RAIDER_Y)
    cp WALL_Y - RAIDER_ROWS + 1
    ret c
    cp WALL_Y + 16
    jr nc, diver_low
    call diver_at_walls
    jr c, diver_bursts
    ret
diver_low:
    cp GUN_Y - RAIDER_ROWS + 1
    ret c
    ld c, a
    ld a, (player_x)
    ld b, a
    ld a, (ix + RAIDER_X)
    sub b
    add a, GUN_WIDTH
    cp 2 * GUN_WIDTH - 1
    jp c, gun_hit
    ld a, c
    cp GUN_Y
    ret c
; It is lost without anybody having shot it.
diver_bursts:
    ld (ix + KIND), KIND_BURST
    ld a, BURST_FRAMES
    ld (diver_clock), a
    ld hl, raiders_left
    dec (hl)
    ld hl, sound_crash
    ld (sound_next), hl
    ret
diver_burns:
    dec (hl)
    ret nz
    ld (ix + KIND), KIND_NONE
    ret

; Towards the gun. Keeps BC.
steer_diver:
    ld hl, diver_dx
    ld a, (player_x)
    sub (ix + RAIDER_X)
    jr z, steer_straight
    ld a, MARCH_STEP
    jr nc, steer_straight
    neg
steer_straight:
    ld (hl), a
    ret

; Carry if the diver has flown into a wall that stands; the wall is down then.
diver_at_walls:
    ld b, 0
    ld c, WALL_X - 15
diver_wall:
    ld a, (ix + RAIDER_X)
    sub c
    cp WALL_WIDTH + 15
    jr nc, diver_wall_next
    call wall_stands
    jr nz, diver_in_wall
diver_wall_next:
    ld a, c
    add a, WALL_PITCH
    ld c, a
    inc b
    ld a, b
    cp WALLS
    jr nz, diver_wall
    or a
    ret
diver_in_wall:
    call tear_wall
    scf
    ret

; Another diver when it is time, out of a column by chance; in the last wave the boss launches some when the march is over.
launch_diver:
    ld a, (dive_period)
    or a
    ret z
    ld a, (frames)
    and 3
    ret nz
    ld hl, dive_clock
    dec (hl)
    ret nz
    inc (hl)
    ld a, (diver)
    or a
    ret nz
    ld a, (marching)
    or a
    jr z, launch_from_ship
    ld a, COLUMNS
    call random_below
    call lowest_raider
    ret nc
    ld a, (ix + KIND)
    ld (diver), a
    ld a, (ix + RAIDER_X)
    ld (diver_x), a
    ld a, (ix + RAIDER_Y)
    ld (diver_y), a
    ld (ix + KIND), KIND_NONE
    call wipe_raider
    ld hl, marching
    dec (hl)
    ld a, 2
    jr launch_done
launch_from_ship:
    ld a, (ship)
    cp SHIP_BOSS
    ret nz
    ld a, (ship_x)
    cp SHIP_LEFT
    ret c
    sub 16 - 4
    add a, a
    ld (diver_x), a
    ld a, SHIP_Y + PLACE_HEIGHT
    ld (diver_y), a
    ld a, KIND_BAT
    ld (diver), a
    ld hl, raiders_left
    inc (hl)
    xor a
launch_done:
    ld (diver_worth), a
    xor a
    ld (diver_dx), a
    ld (diver_clock), a
    ld a, (dive_period)
    ld (dive_clock), a
    ld hl, sound_dive
    jp sound_if_silent
