; SPDX-License-Identifier: GPL-3.0-or-later
; The ways in which a game ends. All go back to the title when space is pressed.

DAWN_LINES equ 4

show_game_over:
    ld hl, sound_over
    ld de, over_lines
    ld a, (landed)
    or a
    jr z, show_ending
    ld de, landed_lines
    jr show_ending

show_won:
    ld hl, sound_won
    ld de, won_lines

; HL = sound, DE = text
show_ending:
    ld (sound_next), hl
    push de
    xor a
    ld (border), a
    call draw_hud
    call clear_sky
    ld a, (won)
    or a
    call nz, draw_dawn
    pop hl
    call print_lines
    ld hl, ending_lines
    call print_lines
    ld bc, 10 * 256 + 16
    ld hl, score
    call print_bcd
    ld bc, 12 * 256 + 22
    ld a, (waves_beaten)
    call print_digit
    call keep_best

#include "ending_wait.asm"

; The sky gets light above the town.
draw_dawn:
    ld hl, dawn
    ld b, TOWN_LINE - DAWN_LINES
dawn_line:
    push bc
    push hl
    ld a, (hl)
    ld c, 0
    ld de, 1 * 256 + 32
    call fill_colours
    pop hl
    pop bc
    inc hl
    inc b
    ld a, b
    cp TOWN_LINE
    jr c, dawn_line
    ret

; One frame. Carry: space is held.
ending_frame:
    halt
    ld hl, frames
    inc (hl)
    call draw_star
    call play_frame
    jp space_held

#include "keep_best.asm"

over_lines:
    defb 6, 11, $42, "GAME OVER", 0
    defb 8, 8, $43, "NO GUN IS AWAKE", 0
    defb 255
landed_lines:
    defb 6, 11, $42, "GAME OVER", 0
    defb 8, 6, $43, "RAIDERS HAVE LANDED", 0
    defb 255
won_lines:
    defb 6, 8, $46, "MORNING COMES", 0
    defb 8, 4, $44, "THE TOWN HAS SLEPT WELL", 0
    defb 255
ending_lines:
    defb 10, 9, INK_LABEL, "SCORE", 0
    defb 12, 9, INK_LABEL, "WAVES BEATEN", 0
    defb 16, 10, INK_TEXT, "PRESS SPACE", 0
    defb 255
best_lines:
    defb 14, 9, $46, "A NEW RECORD!", 0
    defb 255
dawn:
    defb 1 * 8, 3 * 8, 2 * 8, $40 + 6 * 8
