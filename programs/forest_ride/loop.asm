; SPDX-License-Identifier: GPL-3.0-or-later

    org $8100

; A turn is two frames. In the first one the game is thought out and the screen is left alone, but for the panel; in the
; second one the view is painted. A forest that takes longer to paint may run into the next turn's first frame, which has
; time left: the pace is steady.
main_loop:
    ld hl, turn_tick
    inc (hl)
    inc (hl)
    ld a, (ticks)
    sub (hl)
    ld (late), a
    call wait_tick
    ld hl, (turns)
    inc hl
    ld (turns), hl
    call read_keys
    call steer_bike
    call move_ahead
    call move_trees
    call move_riders
    call move_bolt
    call find_next
    call build_columns
    ld a, (late)
    or a
    call m, place_tufts
    call shape_figures
    call draw_dash
    call draw_hud
    call play_turn
    ld hl, turn_tick
    inc (hl)
    call wait_tick
    dec (hl)
    call wipe_tufts
    call paint_columns
    call draw_figures
    call draw_tufts

    ld a, (mode)
    cp MODE_PLAYING
    jp z, main_loop
    cp MODE_CRASHED
    jp z, after_crash
    jp next_sector

; A new game, from the title. Nothing random happens before main_loop: whoever sets the seed there decides the game.
new_game:
    ld hl, score
    ld de, score + 1
    ld bc, turns + 1 - score
    ld (hl), 0
    ldir
    ld a, LIVES
    ld (lives), a
    ld a, 1
    ld (sector), a
    call start_sector
; Onto the bike. Turns begin with even frames, in all of a game.
ride_on:
    ld a, MODE_PLAYING
    ld (mode), a
    ld a, (ticks)
    and $FE
    ld (turn_tick), a
    jp main_loop

; Until the frame (HL) has begun. Keeps HL.
wait_tick:
    ld a, (ticks)
    sub (hl)
    ret p
    halt
    jr wait_tick
