; SPDX-License-Identifier: GPL-3.0-or-later

    org $8100

; Once a frame, while a game is on. HALT wakes when the beam has just left the picture; 14,335 T later it enters the
; top row again, 25,000 T later the sky. Thinking comes first and drawing at once after it, done after 12,500 T at most,
; so nothing flickers and the screen at the end of a frame shows just what the variables say.
main_loop:
    halt
    ld hl, (frames)
    inc hl
    ld (frames), hl
    call move_basket
    ld a, (banner)
    or a
    jr z, loop_fall
    call show_banner
    jr loop_draw
loop_fall:
    call fall
    call spawn
loop_draw:
    call draw_acorns
    call draw_basket
    call draw_hud
    call calm_border
    call play_frame

    ld a, (lives)
    or a
    jp z, game_over
    call level_is_over
    jr nz, main_loop
    ld a, (level)
    cp LEVELS
    jp z, game_won
    inc a
    call start_level
    jr main_loop

; Z if no acorn is in the tree or in the air any more.
level_is_over:
    ld a, (good_left)
    ld hl, acorns
    ld de, SLOT_SIZE
    ld b, SLOTS
level_look:
    or (hl)
    add hl, de
    djnz level_look
    or a
    ret

; A new game, from the title. Nothing random happens before main_loop: whoever sets the seed there decides the game.
new_game:
    ld hl, score
    ld de, score + 1
    ld bc, frames + 1 - score
    ld (hl), 0
    ldir
    ld a, MODE_PLAYING
    ld (mode), a
    ld a, LIVES
    ld (lives), a
    ld a, BASKET_START
    ld (basket_x), a
    rrca
    rrca
    rrca
    ld (basket_column), a
    ld a, (BASKET_START + 8 - BASKET_MIN) / 16
    ld (last_place), a
    xor a
    ld (hurt), a
    call clear_sky
    call print_hud
    ld a, 1
    call start_level
    jp main_loop

; A = level
start_level:
    ld (level), a
    dec a
    ld b, a
    ld hl, level_table
    ld de, LEVEL_ROW
    jr z, level_found
level_seek:
    add hl, de
    djnz level_seek
level_found:
    ld de, speed
    ld bc, LEVEL_ROW
    ldir

    ld a, GOOD_PER_LEVEL
    ld (good_left), a
    ld a, KIND_NONE
    ld (last_kind), a
    ld (lowest_kind), a
    inc a
    ld (spawn_timer), a         ; the first acorn falls as soon as the banner is gone
    ld a, BANNER_FRAMES
    ld (banner), a
    ld hl, sound_level
    ld (sound_next), hl
    call print_banner

clear_acorns:
    ld hl, acorns
    ld de, acorns + 1
    ld bc, SLOTS * SLOT_SIZE - 1
    ld (hl), KIND_NONE
    ldir
    ret
