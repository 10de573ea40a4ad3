; SPDX-License-Identifier: GPL-3.0-or-later
; The two ways in which a game ends. Both go back to the title when space is pressed.

show_game_over:
    ld hl, sound_over
    ld de, over_lines
    jr show_ending

show_won:
    ld hl, sound_won
    ld de, won_lines

; HL = sound, DE = text
show_ending:
    ld (sound_next), hl
    push de
    call clear_sky
    call draw_basket
    pop hl
    call print_lines
    ld a, INK_TEXT
    ld (ink), a
    ld bc, 12 * 256 + 19
    ld hl, score
    call print_bcd
    call keep_best

#include "ending_wait.asm"

; One frame. Carry: space is held.
ending_frame:
    halt
    call calm_border
    call play_frame
    jp space_held

#include "keep_best.asm"

over_lines:
    defb 9, 13, $42, "GAME OVER", 0
    defb 12, 12, INK_LABEL, "SCORE", 0
    defb 17, 12, INK_TEXT, "PRESS SPACE", 0
    defb 0
won_lines:
    defb 8, 13, INK_GOOD, "WELL DONE!", 0
    defb 10, 6, $44, "THE WINTER STORE IS FULL", 0
    defb 12, 12, INK_LABEL, "SCORE", 0
    defb 17, 12, INK_TEXT, "PRESS SPACE", 0
    defb 0
best_lines:
    defb 14, 11, INK_GOOD, "A NEW RECORD!", 0
    defb 0
