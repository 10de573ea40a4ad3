; SPDX-License-Identifier: GPL-3.0-or-later

PROMPT_LINE equ 21
LOGO_LINE equ 11

title:
    xor a
    ld (mode), a
    ld (sector), a
    ld (border), a
    out ($FE), a
    ld hl, SCREEN
    ld de, SCREEN + 1
    ld bc, $1AFF
    ld (hl), a
    ldir
    call show_dusk
    ld hl, picture_logo
    ld a, LOGO_LINE * 8
    ld b, 32
title_row:
    push bc
    push af
    ex de, hl
    ld c, 4
    call row_address
    ex de, hl
    ld bc, 24
    ldir
    pop af
    pop bc
    inc a
    djnz title_row
    ld hl, logo_colours
    ld bc, LOGO_LINE * 256 + 4
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
    cp LOGO_LINE + 4
    jr c, title_logo
    ld hl, title_lines
    call print_lines
    ld bc, 0 * 256 + 15
    ld hl, best
    call print_bcd
    ld hl, sound_title
    ld (sound_next), hl
    ld hl, 0
    ld (turns), hl

#include "title_wait.asm"

; One frame of the title. Carry: space is held. How long a person waits stirs the seed.
title_frame:
    halt
    call play_frame
    call random
    ; the last line blinks, half a second bright and half dim
    ld hl, turns
    inc (hl)
    ld a, (hl)
    and 32
    ld a, INK_TEXT
    jr z, title_blink
    ld a, INK_DIM
title_blink:
    ld bc, PROMPT_LINE * 256 + 6
    ld de, 1 * 256 + 20
    call fill_colours
    jp space_held

; A forest to look at, always the same one, black before the last light.
show_dusk:
    ld hl, 0
    ld (player_x), hl
    ld hl, palette_title
    ld (palette), hl
    call set_palette
    call clear_forest
    call show_view
    ld hl, (seed)
    push hl
    ld hl, 77
    ld (seed), hl
    ld a, 5
    ld (spacing), a
    call trees_grow
    pop hl
    ld (seed), hl
    call build_columns
    jp paint_columns

logo_colours:
    defb $46, $44, $44, $04
title_lines:
    defb 16, 1, $46, "EIGHT SECTORS, BY DAY AND NIGHT", 0
    defb 17, 0, $46, "SHOOT THE RIDERS, MISS THE TREES", 0
    defb 19, 2, INK_LABEL, "O LEFT   P RIGHT   SPACE FIRE", 0
    defb 0, 10, INK_DIM, "BEST", 0
    defb PROMPT_LINE, 6, INK_TEXT, "PRESS SPACE TO START", 0
    defb 255
