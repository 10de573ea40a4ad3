; SPDX-License-Identifier: GPL-3.0-or-later

    org $8100

; Once a frame, while a game is on. HALT wakes when the beam has just left the picture; it enters the mothership's lane
; 17,919 T later, the first raiders 21,503 T later. What lies over the picture is taken off first, then everything moves
; and is drawn, from the top down; nothing flickers, and the screen at the end of a frame shows what the variables say.
main_loop:
    halt
    ld hl, (frames)
    inc hl
    ld (frames), hl
    call erase_overlay
    call move_ship
    ld a, (banner)
    or a
    jr z, loop_fight
    call show_banner
    call move_gun
    jr loop_draw
loop_fight:
    call move_gun
    call march
    call move_diver
    call move_shot
    call move_bombs
    call fire
    call drop_bomb
    call launch_diver
loop_draw:
    call draw_gun
    call draw_overlay
    call draw_star
    call draw_hud
    call play_frame

    ld a, (mode)
    cp MODE_DYING
    jr z, dying
    call wave_is_over
    jr nz, main_loop
    call wave_beaten
    ld a, (wave)
    cp WAVES
    jp z, game_won
    inc a
    call start_wave
    jp main_loop

; Z if nothing of the wave is left in the sky.
wave_is_over:
    ld a, (ship)
    cp SHIP_BOSS
    jr z, wave_goes_on
    ld hl, raiders_left
    ld a, (diver)
    or (hl)
    ld hl, burst
    or (hl)
    ret
wave_goes_on:
    or a
    ret

; A new game, from the title. Nothing random happens before main_loop: whoever sets the seed there decides the game.
new_game:
    ld hl, score
    ld de, score + 1
    ld bc, lowest_y - score
    ld (hl), 0
    ldir
    ld a, MODE_PLAYING
    ld (mode), a
    ld a, LIVES
    ld (lives), a
    ld a, GUN_START
    ld (player_x), a
    ld a, SHIP_PERIOD
    ld (ship_clock), a
    xor a
    ld (ship), a
    ld (burst), a
    call draw_scene
    call print_hud
    ld a, 1
    call start_wave
    jp main_loop

; The gun burns; then the next one takes its place, or the game is over.
dying:
    halt
    call erase_overlay
    call clear_shots
    ld b, DYING_FRAMES
dying_frame:
    push bc
    ld a, b
    call draw_wreck
    call play_frame
    pop bc
    halt
    djnz dying_frame
    xor a
    ld (border), a
    out ($FE), a
    ld a, (lives)
    or a
    jp z, game_over
    ld a, MODE_PLAYING
    ld (mode), a
    jp main_loop
