; SPDX-License-Identifier: GPL-3.0-or-later
; The ways in which a game ends. All go back to the title when space is pressed.

show_game_over:
    ld hl, sound_over
    ld de, over_lines
    jr show_ending

show_finished:
    ld hl, sound_won
    ld de, won_lines
    ld a, (won)
    or a
    jr nz, show_ending
    ld de, finished_lines

; HL = sound, DE = text
show_ending:
    ld (sound_next), hl
    push de
    call show_dusk
    pop hl
    call print_lines
    ld hl, ending_lines
    call print_lines
    ld a, INK_TEXT
    ld (ink), a
    ld bc, 14 * 256 + 18
    ld hl, score
    call print_bcd
    ld bc, 15 * 256 + 23
    ld a, (sectors_done)
    call print_digit
    call keep_best

#include "ending_wait.asm"

; One frame. Carry: space is held.
ending_frame:
    halt
    call play_frame
    jp space_held

#include "keep_best.asm"

over_lines:
    defb 11, 11, $42, "GAME OVER", 0
    defb 255
finished_lines:
    defb 11, 4, $46, "THROUGH ALL EIGHT SECTORS", 0
    defb 12, 4, $43, "BUT NOT WITHOUT A SCRATCH", 0
    defb 255
won_lines:
    defb 11, 4, $46, "THROUGH ALL EIGHT SECTORS", 0
    defb 12, 7, $44, "AND NOT ONE SCRATCH", 0
    defb 255
ending_lines:
    defb 14, 9, INK_LABEL, "SCORE", 0
    defb 15, 9, INK_LABEL, "SECTORS DONE:", 0
    defb 18, 10, INK_TEXT, "PRESS SPACE", 0
    defb 255
best_lines:
    defb 16, 9, $46, "A NEW RECORD!", 0
    defb 255
