; SPDX-License-Identifier: GPL-3.0-or-later
; The player's motorbike.

; Bits of (input): 0 right, 1 left, 2 fire.
read_keys:
    ld a, $DF
    in a, ($FE)
    cpl
    and 3
    ld b, a
    call space_held
    ld a, b
    jr nc, keys_read
    or 1 << INPUT_FIRE
keys_read:
    ld (input), a
    ret

; A held key leans the bike further, up to a limit; without one it rights itself. Both together are none.
steer_bike:
    ld a, (input)
    and 3
    ld hl, steer
    ld b, (hl)
    cp 1 << INPUT_RIGHT
    jr z, steer_right
    cp 1 << INPUT_LEFT
    jr z, steer_left
    ld a, b
    or a
    jr z, steer_aside
    jp m, steer_upright_right
    sub STEER_STEP
    jr nc, steer_done
    xor a
    jr steer_done
steer_upright_right:
    add a, STEER_STEP
    jr nc, steer_done
    xor a
    jr steer_done
steer_right:
    ld a, b
    add a, STEER_STEP
    cp STEER_MOST + 1
    jp m, steer_done
    ld a, STEER_MOST
    jr steer_done
steer_left:
    ld a, b
    sub STEER_STEP
    cp 256 - STEER_MOST
    jp p, steer_done
    ld a, 256 - STEER_MOST
steer_done:
    ld (hl), a
steer_aside:
    ld a, (hl)
    call sixteenths
    ld de, (player_x)
    add hl, de
    ld (player_x), hl
    ret

; HL = A, a signed number of sixteenths, as 1/256 units. Keeps BC and DE.
sixteenths:
    ld l, a
    rla
    sbc a, a
    ld h, a
    add hl, hl
    add hl, hl
    add hl, hl
    add hl, hl
    ret

; Ahead by the speed, which grows to the sector's; counts the way.
move_ahead:
    ld hl, speed
    ld a, (cruise)
    cp (hl)
    jr z, ahead_speed
    inc (hl)
ahead_speed:
    ld l, (hl)
    ld h, 0
    add hl, hl
    add hl, hl
    ld de, (ride)
    ld a, d
    add hl, de
    ld (ride), hl
    sub h
    neg                         ; whole units
    ret z
    ld c, a
    ld hl, (distance)
    ld b, 0
    add hl, bc
    ld (distance), hl
    ld a, (sector_marks)
    cp MARKS
    jr nc, ahead_all
    ld a, (mark_left)
    sub c
    ld (mark_left), a
    jr z, ahead_mark
    ret nc
ahead_mark:
    call mark_passed
    ld a, (sector_marks)
    cp MARKS
    ret c
ahead_all:
    ld a, (riders_left)
    or a
    ret nz
    ld a, (mode)
    cp MODE_PLAYING
    ret nz
    jp sector_done
