; SPDX-License-Identifier: GPL-3.0-or-later
; The panel: two lines above the sky.

print_hud:
    ld a, INK_LABEL
    ld (ink), a
    ld hl, hud_labels
    ld bc, 0
    call print
    ld a, INK_TEXT
    ld (ink), a
    ld bc, 1 * 256 + 25
    ld hl, best
    call print_bcd
    ld a, 1
    ld (hud_changed), a
    ; falls through

; Prints what changes, if it has changed.
draw_hud:
    ld hl, hud_changed
    ld a, (hl)
    or a
    ret z
    ld (hl), 0
    ld a, INK_TEXT
    ld (ink), a
    ld bc, 1 * 256 + 1
    ld hl, score
    call print_bcd
    ld bc, 1 * 256 + 11
    ld a, (wave)
    or a                        ; none on the title
    call nz, print_digit
    ; a gun for each life, then blanks
    ld a, INK_GUN
    ld (ink), a
    ld a, (lives)
    ld d, a
    ld bc, 1 * 256 + 17
    ld e, LIVES
hud_life:
    ld a, d
    or a
    ld a, 32
    jr z, hud_spent
    dec d
    ld a, 64                    ; '@' is drawn as a gun
hud_spent:
    push de
    call print_character
    pop de
    inc c
    dec e
    jr nz, hud_life
    ret

#include "add_score.asm"

hud_labels:
    defb " SCORE   WAVE   GUNS     BEST   ", 0
