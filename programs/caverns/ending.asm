; SPDX-License-Identifier: GPL-3.0-or-later
; The two ways in which a game ends. Both go back to the title when space is pressed.

show_game_over:
    ld hl, sound_over
    ld de, over_room
    ld bc, over_lines
    jr show_ending

show_won:
    ld hl, sound_won
    ld de, won_room
    ld bc, won_lines

; HL = sound, DE = picture, BC = text
show_ending:
    ld (sound_next), hl
    push bc
    xor a
    ld (border), a
    ld (exit_open), a
    call make_room
    call show_room
    pop hl
    call print_lines
    ld a, INK_TEXT
    ld (ink), a
    ld bc, 9 * 256 + 17
    ld hl, score
    call print_bcd
    ld bc, 10 * 256 + 22
    ld a, (rooms_done)
    call print_digit
    call keep_best

#include "ending_wait.asm"

; One frame. Carry: space is held.
ending_frame:
    call pageant_frame
    jp space_held

#include "keep_best.asm"

over_lines:
    defb 6, 11, $42, "GAME OVER", 0
    defb 9, 10, INK_LABEL, "SCORE", 0
    defb 10, 10, INK_LABEL, "CAVES DONE:", 0
    defb 14, 10, INK_TEXT, "PRESS SPACE", 0
    defb 255
won_lines:
    defb 5, 11, $46, "DAYLIGHT!", 0
    defb 7, 2, $44, "ALL SIX CAVES LIE BEHIND YOU", 0
    defb 9, 10, INK_LABEL, "SCORE", 0
    defb 10, 10, INK_LABEL, "CAVES DONE:", 0
    defb 14, 10, INK_TEXT, "PRESS SPACE", 0
    defb 255
best_lines:
    defb 12, 9, $46, "A NEW RECORD!", 0
    defb 255
