; SPDX-License-Identifier: GPL-3.0-or-later
; The two lines above the oak.

print_hud:
    ld a, INK_LABEL
    ld (ink), a
    ld hl, hud_labels
    ld bc, 0
    call print
    ld a, INK_TEXT
    ld (ink), a
    ld bc, 1 * 256 + 27
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
    ; an acorn for each life, then blanks
    ld a, INK_GOOD
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
    ld a, 64                    ; '@' is drawn as an acorn
hud_spent:
    push de
    call print_character
    pop de
    inc c
    dec e
    jr nz, hud_life
    ret

; A = the level, as one digit.
print_level:
    ld a, INK_TEXT
    ld (ink), a
    ld a, (level)
    jp print_digit

; The level's name in the sky and in the heads-up line.
print_banner:
    ld bc, 1 * 256 + 11
    call print_level
    ld a, INK_LABEL
    ld (ink), a
    ld hl, banner_text
    ld bc, 11 * 256 + 14
    call print
    jr print_level

; One frame of the banner; wipes it in its last one.
show_banner:
    ld hl, banner
    dec (hl)
    ret nz
    ld hl, banner_blank
    ld bc, 11 * 256 + 14
    jp print

hud_labels:
    defb " SCORE   LEVEL   LIVES    BEST  ", 0
banner_text:
    defb "LEVEL ", 0
banner_blank:
    defb "       ", 0
