; SPDX-License-Identifier: GPL-3.0-or-later
; The oak and the meadow: drawn once before the title; games only clear the sky between them.

draw_scene:
    ; all black while the picture is built up
    ld hl, SCREEN
    ld de, SCREEN + 1
    ld bc, $1AFF
    ld (hl), 0
    ldir

    ld hl, picture_crown
    ld a, 16
    ld bc, 32 * 256 + 32
    ld e, 0
    call blit
    ld hl, picture_trunk
    ld a, 48
    ld bc, 120 * 256 + 4
    ld e, 0
    call blit
    ld hl, picture_grass
    ld a, 168
    ld bc, 24 * 256 + 32
    ld e, 0
    call blit

    ld hl, crown_colours
    ld de, ATTRIBUTES + 2 * 32
    ld bc, 4 * 32
    ldir
    ld a, 2 * 8 + 6             ; bark: yellow on red for the inner columns, yellow on black at the edge
    ld bc, 6 * 256 + 0
    ld de, 15 * 256 + 2
    call fill_colours
    ld a, 6
    ld bc, 6 * 256 + 2
    ld de, 15 * 256 + 2
    call fill_colours
    ld a, 4                     ; blades of grass before the night, then solid green
    ld bc, 21 * 256 + 0
    ld de, 1 * 256 + 32
    call fill_colours
    ld a, 4 * 8
    ld bc, 22 * 256 + 0
    ld de, 2 * 256 + 32
    call fill_colours

; Empties all between leaves, trunk and grass.
clear_sky:
    ld a, LEAVES_Y
    ld b, GROUND_Y + 16 - LEAVES_Y
clear_row:
    push bc
    push af
    ld c, BASKET_MIN / 8
    call row_address
    ld d, h
    ld e, l
    inc e
    ld (hl), 0
    ld bc, 32 - BASKET_MIN / 8 - 1
    ldir
    pop af
    pop bc
    inc a
    djnz clear_row
    ld a, SKY
    ld bc, LEAVES_Y / 8 * 256 + BASKET_MIN / 8
    ld de, (GROUND_Y + 16 - LEAVES_Y) / 8 * 256 + 32 - BASKET_MIN / 8
    ; falls through

#include "fill_colours.asm"

#include "blit.asm"
