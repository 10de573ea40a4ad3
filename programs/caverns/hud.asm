; SPDX-License-Identifier: GPL-3.0-or-later
; The three lines above the cave: score, keys and lives; the cave's name; the air.

print_hud:
    ld a, INK_LABEL
    ld (ink), a
    ld hl, hud_labels
    ld bc, 0
    call print

    ; the name in the middle of a blue line
    ld a, 1 * 8 + INK_TEXT
    ld bc, 1 * 256
    ld de, 1 * 256 + 32
    call fill_colours
    ld a, 1 * 8 + INK_TEXT
    ld (ink), a
    ld hl, (room_record)
    ld e, (hl)
    inc hl
    ld d, (hl)
    ex de, hl
    ld b, 1
    ld c, (hl)
    inc hl
    call print

    ld a, INK_LABEL
    ld (ink), a
    ld hl, hud_air
    ld bc, 2 * 256
    call print
    ; a full bar: it goes from green over yellow to red
    ld a, $44
    ld bc, 2 * 256 + AIR_COLUMN
    ld de, 1 * 256 + AIR_FULL / 8
    call fill_colours
    ld a, $46
    ld bc, 2 * 256 + AIR_COLUMN
    ld de, 1 * 256 + 12
    call fill_colours
    ld a, $42
    ld bc, 2 * 256 + AIR_COLUMN
    ld de, 1 * 256 + 6
    call fill_colours
    ld hl, SCREEN + 2 * 256 + 2 * 32 + AIR_COLUMN
    ld c, 4
hud_bar:
    push hl
    ld b, AIR_FULL / 8
hud_full:
    ld (hl), 255
    inc l
    djnz hud_full
    pop hl
    inc h
    dec c
    jr nz, hud_bar
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
    ld bc, 6
    ld hl, score
    call print_bcd
    ld bc, 19
    ld a, (keys_left)
    call print_digit
    ; a helmet for each life, then blanks
    ld a, $46
    ld (ink), a
    ld a, (lives)
    ld d, a
    ld bc, 29
    ld e, LIVES
hud_life:
    ld a, d
    or a
    ld a, 32
    jr z, hud_spent
    dec d
    ld a, 64                    ; '@' is drawn as a helmet
hud_spent:
    push de
    call print_character
    pop de
    inc c
    dec e
    jr nz, hud_life
    ret

#include "add_score.asm"

; Once a frame.
breathe:
    ld hl, air_timer
    dec (hl)
    ret nz
    ld a, (air_period)
    ld (hl), a
    call take_air
    ld a, (air)
    or a
    ret nz
    ld a, CAUSE_AIR
    jp died

; A unit less: the last pixel of the bar goes dark.
take_air:
    ld hl, air
    dec (hl)
    ld a, (hl)
    ld b, a
    rrca
    rrca
    rrca
    and 31
    add a, 2 * 32 + AIR_COLUMN
    ld l, a
    ld h, SCREEN / 256 + 2
    ld a, b
    and 7
    ld b, a
    inc b
    xor a
    jr air_test
air_mask:
    scf
    rra                         ; as many pixels of the byte stay as are left in it
air_test:
    djnz air_mask
    ld b, 4
air_row:
    ld (hl), a
    inc h
    djnz air_row
    ret

hud_labels:
    defb "SCORE 000000  KEYS   LIVES      ", 0
hud_air:
    defb "AIR ", 0
