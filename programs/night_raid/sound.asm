; SPDX-License-Identifier: GPL-3.0-or-later
; Beeper effects, one short note a frame: the speaker is driven for a part of the frame only, so the game never waits for
; its sound. In play a note takes at most 11,000 T-states, between waves and games up to 30,000.

#include "play_frame.asm"

; HL = a sound that gives way to any other.
sound_if_silent:
    ld de, (sound_next)
    ld a, (de)
    or a
    ret nz
    ld (sound_next), hl
    ret

; The beat of the march: one of four low notes for every step of the formation.
play_march:
    ld hl, march_note
    ld a, (hl)
    inc a
    and 3
    ld (hl), a
    add a, a
    add a, a
    ld e, a
    ld d, 0
    ld hl, sound_march
    add hl, de
    jr sound_if_silent

sound_silence:
    defb 0
sound_march:                    ; four bytes each
    defb 2, 230, 0, 0
    defb 2, 240, 0, 0
    defb 2, 250, 0, 0
    defb 2, 210, 0, 0
sound_fire:
    defb 12, 20, 10, 30, 8, 42, 8, 58, 6, 80, 6, 104, 0
sound_hit:
    defb 8, 60, 4, 130, 10, 40, 4, 160, 6, 90, 2, 220, 0
sound_crash:
    defb 4, 140, 2, 230, 4, 120, 2, 250, 2, 255, 0
sound_dive:
    defb 10, 40, 10, 44, 10, 49, 9 + 1, 54, 8, 60, 8, 66, 8, 73, 8, 80, 8, 88, 6, 97, 6, 107, 0
sound_ship:
    defb 8, 70, 8, 60, 8, 70, 8, 60, 8, 70, 8, 60, 8, 70, 8, 60, 8, 70, 8, 60, 0
sound_ship_shot:
    defb 8, 80, 8, 70, 10, 60, 10, 50, 12, 42, 12, 36, 14, 30, 14, 26, 16, 22, 16, 20, 0
sound_boss:
    defb 10, 50, 6, 90, 0
sound_died:
    defb 8, 60, 6, 90, 8, 75, 6, 110, 6, 95, 4, 140, 4, 120, 4, 170, 4, 150, 2, 210, 2, 190, 2, 250, 2, 230, 2, 255
    defb 4, 150, 2, 210, 2, 190, 2, 250, 2, 230, 2, 255, 2, 240, 2, 255, 0
sound_wave:                     ; A C E A
    defb 8, 246, 8, 246, 8, 246, 1, 0
    defb 8, 207, 8, 207, 8, 207, 1, 0
    defb 10, 164, 10, 164, 10, 164, 1, 0
    defb 14, 122, 14, 122, 14, 122, 14, 122, 14, 122, 0
sound_title:                    ; A C B A, E
    defb 8, 246, 8, 246, 8, 246, 8, 246, 8, 246, 1, 0
    defb 8, 207, 8, 207, 8, 207, 8, 207, 8, 207, 1, 0
    defb 8, 219, 8, 219, 8, 219, 8, 219, 8, 219, 1, 0
    defb 8, 246, 8, 246, 8, 246, 8, 246, 8, 246, 1, 0, 1, 0, 1, 0
    defb 10, 164, 10, 164, 10, 164, 10, 164, 10, 164, 10, 164, 1, 0
    defb 10, 174, 10, 174, 10, 174, 10, 174, 10, 174, 10, 174, 10, 174, 10, 174, 0
sound_over:
    defb 10, 164, 10, 164, 10, 164, 10, 164, 1, 0
    defb 8, 207, 8, 207, 8, 207, 8, 207, 1, 0
    defb 8, 219, 8, 219, 8, 219, 8, 219, 1, 0
    defb 6, 246, 6, 246, 6, 246, 6, 246, 6, 246, 6, 246, 6, 246, 6, 246, 0
sound_won:
    defb 8, 207, 8, 207, 8, 207, 1, 0, 10, 164, 10, 164, 10, 164, 1, 0
    defb 12, 137, 12, 137, 12, 137, 1, 0, 16, 102, 16, 102, 16, 102, 16, 102, 16, 102, 1, 0
    defb 12, 137, 12, 137, 12, 137, 1, 0, 16, 102, 16, 102, 16, 102, 16, 102, 16, 102, 16, 102, 16, 102, 16, 102, 1, 0
    defb 18, 91, 18, 91, 18, 91, 18, 91, 1, 0
    defb 20, 81, 20, 81, 20, 81, 20, 81, 20, 81, 20, 81, 20, 81, 20, 81, 20, 81, 20, 81, 20, 81, 20, 81, 0
