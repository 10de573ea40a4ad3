; SPDX-License-Identifier: GPL-3.0-or-later
; Beeper effects, one short note a frame: the speaker is driven for a part of the frame only, so the game never waits for
; its sound. In play a note takes at most 11,000 T-states, in the banner and between games up to 30,000.

; Plays this frame's note of the running effect. An effect is a list of pairs: speaker flips (even, so that it ends at
; rest), length of each half wave; 1 flips = a pause; 0 ends it. A half wave lasts 16 x length + 35 T.
play_frame:
    ld hl, (sound_next)
    ld a, (hl)
    or a
    ret z
    inc hl
    ld c, (hl)
    inc hl
    ld (sound_next), hl
    dec a
    ret z
    inc a
    ld b, a
    ld a, (border)
play_flip:
    xor $10
    out ($FE), a
    ld d, c
play_wait:
    dec d
    jr nz, play_wait
    djnz play_flip
    ret

sound_silence:
    defb 0
sound_caught:
    defb 8, 80, 12, 49, 0
sound_missed:
    defb 2, 230, 2, 240, 2, 250, 2, 255, 0
sound_rotten:
    defb 6, 90, 4, 140, 6, 110, 2, 180, 4, 150, 2, 220, 2, 255, 0
sound_level:                    ; C E G C
    defb 8, 207, 8, 207, 8, 207, 1, 0
    defb 10, 164, 10, 164, 10, 164, 1, 0
    defb 12, 137, 12, 137, 12, 137, 1, 0
    defb 16, 102, 16, 102, 16, 102, 16, 102, 16, 102, 0
sound_title:                    ; G C E G, E G
    defb 6, 252, 6, 252, 6, 252, 6, 252, 6, 252, 1, 0
    defb 8, 207, 8, 207, 8, 207, 8, 207, 8, 207, 1, 0
    defb 10, 164, 10, 164, 10, 164, 10, 164, 10, 164, 1, 0
    defb 12, 137, 12, 137, 12, 137, 12, 137, 12, 137, 12, 137, 1, 0, 1, 0, 1, 0
    defb 10, 164, 10, 164, 10, 164, 10, 164, 1, 0
    defb 12, 137, 12, 137, 12, 137, 12, 137, 12, 137, 12, 137, 12, 137, 12, 137, 12, 137, 0
sound_over:
    defb 12, 137, 12, 137, 12, 137, 12, 137, 1, 0
    defb 10, 164, 10, 164, 10, 164, 10, 164, 1, 0
    defb 8, 207, 8, 207, 8, 207, 8, 207, 1, 0
    defb 6, 252, 6, 252, 6, 252, 6, 252, 6, 252, 6, 252, 6, 252, 6, 252, 0
sound_won:
    defb 8, 207, 8, 207, 8, 207, 1, 0, 8, 207, 8, 207, 8, 207, 1, 0, 8, 207, 8, 207, 8, 207, 1, 0
    defb 10, 164, 10, 164, 10, 164, 10, 164, 10, 164, 10, 164, 10, 164, 10, 164, 1, 0
    defb 8, 207, 8, 207, 8, 207, 8, 207, 1, 0
    defb 10, 164, 10, 164, 10, 164, 10, 164, 1, 0
    defb 12, 137, 12, 137, 12, 137, 12, 137, 12, 137, 12, 137, 12, 137, 12, 137, 1, 0
    defb 16, 102, 16, 102, 16, 102, 16, 102, 16, 102, 16, 102, 16, 102, 16, 102, 16, 102, 16, 102, 16, 102, 16, 102, 0
