; SPDX-License-Identifier: GPL-3.0-or-later
; What can happen. A definition may hook these addresses: each is passed once for each such event.

    org $8200

; A raider on the march is shot: IX = it.
raider_shot:
    call end_burst
    ld a, (ix + RAIDER_X)
    ld (burst_x), a
    ld a, (ix + RAIDER_Y)
    ld (burst_y), a
    ld c, (ix + KIND)
    push bc
    ld (ix + KIND), KIND_NONE
    call wipe_raider
    ld ix, burst
    ld (ix + KIND), KIND_BURST
    call draw_raider
    ld a, BURST_FRAMES
    ld (burst_clock), a
    ld hl, marching
    dec (hl)
    pop bc
    ld b, 1
    jr count_raider

; The diver is shot: it is worth twice as much, and nothing if the mothership launched it.
diver_shot:
    ld hl, diver
    ld c, (hl)
    ld (hl), KIND_BURST
    ld a, BURST_FRAMES
    ld (diver_clock), a
    ld a, (diver_worth)
    ld b, a

; B x the points of a raider of kind C; one less.
count_raider:
    ld hl, raiders_left
    dec (hl)
    ld hl, sound_hit
    ld (sound_next), hl
    ld a, b
    or a
    ret z
    ld hl, (raiders_shot)
    inc hl
    ld (raiders_shot), hl
count_points:
    push bc
    ld b, 0
    ld hl, kind_points
    add hl, bc
    ld l, (hl)
    ld h, 0
    call add_score
    pop bc
    djnz count_points
    ret

; The crossing mothership is shot.
ship_shot:
    ld hl, ships_shot
    inc (hl)
    ld hl, (ship_worth)
    call add_score
    ld hl, sound_ship_shot
    ld (sound_next), hl
    jp burst_ship

; The boss is hit.
boss_hit:
    ld a, 4
    ld (ship_flash), a
    ld hl, sound_boss
    ld (sound_next), hl
    ld hl, $0020
    call add_score
    ld hl, ship_hits
    dec (hl)
    ret nz
    ld hl, ships_shot
    inc (hl)
    ld hl, $0500
    ld (ship_worth), hl
    call add_score
    ld hl, sound_ship_shot
    ld (sound_next), hl
    jp burst_ship

; A shot or a bomb hits a wall: HL = the block. Keeps BC and DE.
wall_hit:
    dec (hl)
    push hl
    ld hl, walls_left
    dec (hl)
    pop hl
    ret

; A bomb or the diver hits the gun, or a raider has landed. The first cause in a frame counts.
gun_hit:
    ld hl, mode
    ld a, (hl)
    cp MODE_PLAYING
    ret nz
    ld (hl), MODE_DYING
    ld hl, lives
    dec (hl)
    ld hl, sound_died
    ld (sound_next), hl
    ld a, 1
    ld (hud_changed), a
    inc a
    ld (border), a
    out ($FE), a
    ret

; A raider has come down: the town is lost, whatever guns there are.
raider_landed:
    ld a, 1
    ld (landed), a
    ld (lives), a
    jr gun_hit

; Nothing of the wave is left.
wave_beaten:
    ld hl, waves_beaten
    inc (hl)
    ld hl, $0100
    call add_score
    ld a, (wave)
    cp WAVES
    ret nz
    ld a, 1
    ld (won), a
    ret

; Jumped to when the last gun is lost or raiders have landed.
game_over:
    ld a, MODE_OVER
    ld (mode), a
    jp show_game_over

; Jumped to when the last wave is beaten.
game_won:
    ld a, MODE_WON
    ld (mode), a
    jp show_won

kind_points:                    ; BCD
    defb 0, $10, $20, $30, $40
