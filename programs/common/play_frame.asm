; SPDX-License-Identifier: GPL-3.0-or-later

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
; B speaker flips, C the length of each half wave
play_note:
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
