; SPDX-License-Identifier: GPL-3.0-or-later
; Beeper effects, one short note a frame: the speaker is driven for a part of the frame only, so the game never waits for
; its sound. In play a note takes at most 11,000 T-states, between rooms and games up to 30,000.

#include "play_frame.asm"

; A tick that gets higher while the air is counted.
play_count:
    ld a, (air)
    srl a
    add a, 24
    ld c, a
    ld b, 4
    jr play_note

sound_silence:
    defb 0
sound_jump:                     ; a short rise
    defb 2, 200, 2, 180, 2, 160, 2, 145, 4, 130, 4, 118, 4, 108, 4, 98, 0
sound_key:
    defb 8, 60, 8, 60, 1, 0, 10, 45, 10, 45, 0
sound_open:                     ; the last key: up a chord
    defb 4, 137, 4, 137, 6, 102, 6, 102, 8, 80, 8, 80, 10, 66, 10, 66, 10, 50, 10, 50, 10, 50, 0
sound_died:                     ; a fall
    defb 8, 60, 6, 90, 8, 75, 6, 110, 6, 95, 4, 140, 4, 120, 4, 170, 4, 150, 2, 210, 2, 190, 2, 250, 2, 230, 2, 255, 0
sound_room:
    defb 6, 102, 6, 102, 1, 0, 4, 137, 4, 137, 1, 0, 6, 102, 6, 102, 6, 102, 0
sound_title:                    ; E G A E, D E
    defb 10, 164, 10, 164, 10, 164, 10, 164, 10, 164, 1, 0
    defb 12, 137, 12, 137, 12, 137, 12, 137, 12, 137, 1, 0
    defb 14, 122, 14, 122, 14, 122, 14, 122, 14, 122, 14, 122, 1, 0, 1, 0, 1, 0
    defb 10, 164, 10, 164, 10, 164, 10, 164, 10, 164, 1, 0
    defb 9 + 1, 184, 10, 184, 10, 184, 10, 184, 1, 0
    defb 10, 164, 10, 164, 10, 164, 10, 164, 10, 164, 10, 164, 10, 164, 10, 164, 0
sound_over:
    defb 10, 164, 10, 164, 10, 164, 10, 164, 1, 0
    defb 9 + 1, 184, 10, 184, 10, 184, 10, 184, 1, 0
    defb 8, 207, 8, 207, 8, 207, 8, 207, 1, 0
    defb 6, 246, 6, 246, 6, 246, 6, 246, 6, 246, 6, 246, 6, 246, 6, 246, 0
sound_won:
    defb 10, 164, 10, 164, 10, 164, 1, 0, 10, 164, 10, 164, 10, 164, 1, 0
    defb 12, 137, 12, 137, 12, 137, 12, 137, 12, 137, 12, 137, 1, 0
    defb 14, 122, 14, 122, 14, 122, 1, 0, 12, 137, 12, 137, 12, 137, 1, 0
    defb 16, 102, 16, 102, 16, 102, 16, 102, 16, 102, 16, 102, 1, 0
    defb 18, 91, 18, 91, 18, 91, 18, 91, 1, 0
    defb 20, 81, 20, 81, 20, 81, 20, 81, 20, 81, 20, 81, 20, 81, 20, 81, 20, 81, 20, 81, 20, 81, 20, 81, 0
