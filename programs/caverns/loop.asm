; SPDX-License-Identifier: GPL-3.0-or-later

    org $8100

; Once a frame, while a game is on. HALT wakes when the beam has just left the picture; 14,335 T later it enters the
; top row again, 19,711 T later the cave. Thinking comes first and drawing at once after it, the player before all else, so
; nothing flickers and the screen at the end of a frame shows just what the variables say.
main_loop:
    halt
    ld hl, (frames)
    inc hl
    ld (frames), hl
    ld hl, (room_frames)
    inc hl
    ld (room_frames), hl
    call read_keys
    call move_player
    call move_guardians
    call touch_cells
    call touch_guardians
    call touch_exit

    call erase_player
    call draw_player
    call draw_guardians
    call mend_player
    call draw_scenery
    call breathe
    call draw_hud
    call play_frame

    ld a, (mode)
    cp MODE_PLAYING
    jr z, main_loop
    cp MODE_DYING
    jp z, dying
    jp leaving

; A new game, from the title.
new_game:
    ld hl, score
    ld de, score + 1
    ld bc, room_frames + 1 - score
    ld (hl), 0
    ldir
    ld a, LIVES
    ld (lives), a
    ld a, 1
    ld (room), a
    xor a
    ld (border), a

; The room (room) from its beginning, with all keys and full air.
begin_room:
    ld hl, sound_room
    ld (sound_next), hl
    call enter_room
    ld a, MODE_PLAYING
    ld (mode), a
    jr main_loop

; The player flickers, the border is red; then the room begins anew, or the game is over.
dying:
    ld b, DYING_FRAMES
dying_frame:
    push bc
    halt
    ld a, b
    call draw_death
    call play_frame
    pop bc
    djnz dying_frame
    xor a
    ld (border), a
    out ($FE), a
    ld a, (lives)
    or a
    jr nz, begin_room
    jp game_over

; What air is left turns into points, then the next room begins, or the game is won.
leaving:
    ld a, (air)
    or a
    jr z, leaving_done
    halt
    ld b, 4                     ; units a frame
leaving_unit:
    ld a, (air)
    or a
    jr z, leaving_shown
    push bc
    call take_air
    ld hl, $0005
    call add_score
    pop bc
    djnz leaving_unit
leaving_shown:
    call draw_hud
    call play_count
    jr leaving
leaving_done:
    xor a
    ld (room_best), a
    ld hl, room
    ld a, (hl)
    cp ROOMS
    jp z, game_won
    inc (hl)
    jr begin_room
