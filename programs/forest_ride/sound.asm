; SPDX-License-Identifier: GPL-3.0-or-later
; Beeper effects, one short note a turn, in a frame of which the rest is thinking: the game never waits for its sound.

; This turn's note of the running effect; without one the engine is heard, higher at higher speed.
play_turn:
    ld hl, (sound_next)
    ld a, (hl)
    or a
    jr nz, play_frame
    ld a, (late)
    or a
    ret p
    ld a, (speed)
    srl a
    ld c, a
    ld a, 190
    sub c
    ld c, a
    ld b, 4
    jr play_note

#include "play_frame.asm"

sound_silence:
    defb 0
sound_fire:
    defb 10, 20, 8, 35, 6, 60, 4, 90, 0
sound_thud:
    defb 4, 120, 2, 200, 0
sound_shot:
    defb 6, 90, 10, 30, 6, 110, 8, 50, 4, 130, 6, 80, 4, 160, 2, 220, 2, 250, 0
sound_crash:
    defb 8, 60, 6, 110, 10, 40, 4, 170, 6, 90, 4, 200, 8, 70, 2, 250, 4, 150, 6, 100, 2, 255, 4, 180, 2, 240, 4, 210, 2, 255, 2, 255, 0
sound_sector:
    defb 8, 137, 8, 137, 10, 109, 10, 109, 12, 91, 12, 91, 14, 68, 14, 68, 14, 68, 14, 68, 0
sound_title:
    defb 8, 137, 8, 137, 8, 137, 8, 137, 1, 0, 10, 122, 10, 122, 10, 109, 10, 109, 10, 109, 10, 109, 1, 0
    defb 12, 91, 12, 91, 12, 91, 12, 91, 1, 0, 10, 109, 10, 109, 10, 109, 8, 137, 8, 137, 8, 137, 8, 137, 8, 137, 0
sound_over:
    defb 12, 109, 12, 109, 12, 109, 1, 0, 10, 122, 10, 122, 10, 122, 1, 0, 8, 137, 8, 137, 8, 137, 1, 0, 6, 184, 6, 184, 6, 184, 6, 184, 6, 184, 0
sound_won:
    defb 8, 137, 8, 137, 1, 0, 8, 137, 8, 137, 1, 0, 8, 137, 8, 137, 1, 0, 10, 109, 10, 109, 10, 109, 1, 0, 12, 91, 12, 91, 12, 91, 1, 0
    defb 10, 109, 10, 109, 1, 0, 12, 91, 12, 91, 12, 91, 12, 91, 1, 0, 16, 68, 16, 68, 16, 68, 16, 68, 16, 68, 16, 68, 16, 68, 0
