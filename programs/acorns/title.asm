; SPDX-License-Identifier: GPL-3.0-or-later

PROMPT_LINE equ 17
TITLE_HALF_WAY equ (SPAWN_Y + GROUND_Y) / 2

title:
    xor a
    ld (mode), a
    ld (level), a
    call draw_scene
    call print_hud
    ld hl, picture_logo
    ld a, 48
    ld bc, 40 * 256 + 24
    ld e, 6
    call blit
    ld hl, logo_colours
    ld bc, 6 * 256 + 6
title_logo:
    ld a, (hl)
    push hl
    push bc
    ld de, 1 * 256 + 24
    call fill_colours
    pop bc
    pop hl
    inc hl
    inc b
    ld a, b
    cp 11
    jr c, title_logo

    ; one of each kind, in its colour
    ld hl, picture_acorn_good
    ld a, 96
    ld bc, 16 * 256 + 2
    ld e, 7
    call blit
    ld a, INK_GOOD
    ld bc, 12 * 256 + 7
    ld de, 2 * 256 + 2
    call fill_colours
    ld hl, picture_acorn_rotten
    ld a, 96
    ld bc, 16 * 256 + 2
    ld e, 19
    call blit
    ld a, INK_ROTTEN
    ld bc, 12 * 256 + 19
    ld de, 2 * 256 + 2
    call fill_colours

    ld hl, title_lines
    call print_lines
    ld a, BASKET_START
    ld (basket_x), a
    ld a, BASKET_START / 8
    ld (basket_column), a
    call draw_basket
    ld hl, sound_title
    ld (sound_next), hl
    ; an acorn on either side of the name, one half a fall behind the other
    call clear_acorns
    ld ix, acorns
    ld a, 0
    ld c, KIND_GOOD
    call spawn_at
    ld ix, acorns + SLOT_SIZE
    ld a, PLACES - 1
    ld c, KIND_ROTTEN
    call spawn_at
    ld (ix + Y), TITLE_HALF_WAY
    ld (ix + DRAWN_Y), TITLE_HALF_WAY

#include "title_wait.asm"

; One frame of the title. Carry: space is held. How long a person waits stirs the seed.
title_frame:
    halt
    call title_fall
    call draw_acorns
    call play_frame
    call random
    ; the last line blinks, half a second bright and half dim
    ld hl, frames
    inc (hl)
    ld a, (hl)
    and 32
    ld a, INK_TEXT
    jr z, title_blink
    ld a, INK_DIM
title_blink:
    ld bc, PROMPT_LINE * 256 + 8
    ld de, 1 * 256 + 20
    call fill_colours

#include "space_held.asm"

; The two acorns of the title go round for ever: down to the grass, then out of the leaves again.
title_fall:
    ld ix, acorns
    call title_fall_one
    ld ix, acorns + SLOT_SIZE
title_fall_one:
    ld a, (ix + KIND)
    ld c, a
    inc (ix + Y)
    ld a, (ix + Y)
    cp GROUND_Y
    ret c
    ld (ix + PHASE), PHASE_GONE
    push bc
    call draw_acorn
    pop bc
    ld (ix + KIND), c
    ld (ix + Y), SPAWN_Y
    ld (ix + DRAWN_Y), SPAWN_Y
    ld (ix + PHASE), PHASE_FALLING
    ret

; Lines of text from HL on: line, column, colour, string; a line of 0 ends them.
print_lines:
    ld a, (hl)
    or a
    ret z
    ld b, a
    inc hl
    ld c, (hl)
    inc hl
    ld a, (hl)
    inc hl
    ld (ink), a
    call print
    jr print_lines

logo_colours:
    defb $46, $46, $06, $06, $02
title_lines:
    defb 12, 10, INK_TEXT, "CATCH", 0
    defb 13, 10, INK_TEXT, "THESE", 0
    defb 12, 22, INK_TEXT, "LEAVE", 0
    defb 13, 22, INK_TEXT, "THESE", 0
    defb 15, 8, INK_LABEL, "O LEFT", 0
    defb 15, 21, INK_LABEL, "P RIGHT", 0
    defb PROMPT_LINE, 8, INK_TEXT, "PRESS SPACE TO START", 0
    defb 0
