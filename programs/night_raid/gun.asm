; SPDX-License-Identifier: GPL-3.0-or-later

; O moves the gun left, P right; both together leave it alone.
move_gun:
    ld a, $DF
    in a, ($FE)
    ld hl, player_x
    and 3                       ; bit 0 P, bit 1 O; 0 means pressed
    cp 1
    jr z, gun_left
    cp 2
    ret nz
    ld a, (hl)
    cp GUN_MAX
    ret nc
    add a, GUN_STEP
    ld (hl), a
    ret
gun_left:
    ld a, (hl)
    cp GUN_MIN + 1
    ret c
    sub GUN_STEP
    ld (hl), a
    ret

; Space fires, if no shot is under way.
fire:
    ld hl, shot_y
    ld a, (hl)
    or a
    ret nz
    call space_held
    ret nc
    ld (hl), GUN_Y - SHOT_ROWS
    ld a, (player_x)
    add a, GUN_WIDTH / 2 - 1
    ld (shot_x), a
    ld hl, (shots_fired)
    inc hl
    ld (shots_fired), hl
    ld hl, sound_fire
    jp sound_if_silent

draw_gun:
    ld a, (player_x)
    ld b, KIND_GUN

; B = kind, A = pixel column. Nothing else is on the gun's lines, so a blank byte on either side wipes what it has left.
draw_on_ground:
    ld c, a
    call image_at
    ld a, c
    rrca
    rrca
    rrca
    and 31
    dec a
    ld c, a
    ld a, GUN_Y
    call row_address
    ld b, RAIDER_ROWS
gun_row:
    ld (hl), 0
    inc l
    ld a, (de)
    ld (hl), a
    inc de
    inc l
    ld a, (de)
    ld (hl), a
    inc de
    inc l
    ld a, (de)
    ld (hl), a
    inc de
    inc l
    ld (hl), 0
    ld a, l
    sub 4
    ld l, a
    inc h
    ld a, h
    and 7
    call z, row_wrap
    djnz gun_row
    ret

; A = frame of the dying, counted down: wreckage that jumps to and fro.
draw_wreck:
    rrca
    and 2
    ld hl, player_x
    xor (hl)
    cp GUN_MIN
    jr nc, wreck_here
    ld a, GUN_MIN
wreck_here:
    ld b, KIND_WRECK
    jr draw_on_ground
