; SPDX-License-Identifier: GPL-3.0-or-later

title:
    xor a
    ld (mode), a
    ld (level), a
    call draw_scene
    call print_hud
    ld hl, picture_logo
    ld a, 56
    ld bc, 40 * 256 + 24
    ld e, 6
    call blit
    ld hl, logo_colours
    ld bc, 7 * 256 + 6
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
    cp 12
    jr c, title_logo

    ; one of each kind, in its colour
    ld hl, picture_acorn_good
    ld a, 104
    ld bc, 16 * 256 + 2
    ld e, 7
    call blit
    ld a, INK_GOOD
    ld bc, 13 * 256 + 7
    ld de, 2 * 256 + 2
    call fill_colours
    ld hl, picture_acorn_rotten
    ld a, 104
    ld bc, 16 * 256 + 2
    ld e, 19
    call blit
    ld a, INK_ROTTEN
    ld bc, 13 * 256 + 19
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

    ; A space that ended the last game must not start the next one.
title_release:
    call title_frame
    jr c, title_release
title_wait:
    call title_frame
    jr nc, title_wait
    jp new_game

; One frame of the title. Carry: space is held. How long a person waits stirs the seed.
title_frame:
    halt
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
    ld bc, 18 * 256 + 8
    ld de, 1 * 256 + 20
    call fill_colours

; Carry if space is held.
space_held:
    ld a, $7F
    in a, ($FE)
    cpl
    rrca
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
    defb 13, 10, INK_TEXT, "CATCH", 0
    defb 14, 10, INK_TEXT, "THESE", 0
    defb 13, 22, INK_TEXT, "LEAVE", 0
    defb 14, 22, INK_TEXT, "THESE", 0
    defb 16, 8, INK_LABEL, "O LEFT", 0
    defb 16, 21, INK_LABEL, "P RIGHT", 0
    defb 18, 8, INK_TEXT, "PRESS SPACE TO START", 0
    defb 0
