; SPDX-License-Identifier: GPL-3.0-or-later
; What can happen to the player. A definition may hook these addresses: each is passed once for each such event.

    org $8200

; A good acorn lands in the basket.
caught:
    ld hl, caught_count
    call count
    ld hl, caught_1_3
    call count_early
    ld hl, score + 3
    ld b, 4
    scf                         ; score + 1, carried through four BCD bytes
caught_digit:
    ld a, (hl)
    adc a, 0
    daa
    ld (hl), a
    dec hl
    djnz caught_digit
    ld a, 1
    ld (hud_changed), a
    ld hl, sound_caught
    ld (sound_next), hl
    ret

; A good acorn falls past the basket.
missed:
    ld hl, missed_count
    call count
    ld hl, missed_1_3
    call count_early
    ld hl, sound_missed
    jr lose_life

; A rotten acorn lands in the basket.
caught_rotten:
    ld hl, rotten_count
    call count
    ld hl, sound_rotten

; HL = the sound that tells of it.
lose_life:
    ld (sound_next), hl
    ld a, HURT_FRAMES
    ld (hurt), a
    ld a, BORDER_HURT
    ld (border), a
    out ($FE), a
    ld hl, hud_changed
    ld (hl), 1
    ld hl, lives
    ld a, (hl)
    or a
    ret z
    dec (hl)
    ret

; The red border goes back to black after a few frames.
calm_border:
    ld hl, hurt
    ld a, (hl)
    or a
    ret z
    dec (hl)
    ret nz
    xor a
    ld (border), a
    out ($FE), a
    ret

; One more in the word at HL, if the level is one of the first three.
count_early:
    ld a, (level)
    cp 4
    ret nc
; One more in the word at HL.
count:
    inc (hl)
    ret nz
    inc hl
    inc (hl)
    ret

; Jumped to when the last life is lost.
game_over:
    ld a, MODE_OVER
    ld (mode), a
    jp show_game_over

; Jumped to when the last level is cleared.
game_won:
    ld a, MODE_WON
    ld (mode), a
    ld a, 1
    ld (won), a
    jp show_won
