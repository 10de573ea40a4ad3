; SPDX-License-Identifier: GPL-3.0-or-later

PROMPT_LINE equ 18
LOGO_LINE equ 4
SHOWN_X equ 80                  ; the four kinds of raiders and what they are worth
SHOWN_Y equ 72

title:
    xor a
    ld (mode), a
    ld (wave), a
    ld (ship), a
    ld (banner), a
    inc a
    ld (ship_clock), a
    call draw_scene
    call print_hud
    ld hl, picture_logo
    ld a, LOGO_LINE * 8
    ld bc, 32 * 256 + 30
    ld e, 1
    call blit
    ld hl, logo_colours
    ld bc, LOGO_LINE * 256 + 1
title_logo:
    ld a, (hl)
    push hl
    push bc
    ld de, 1 * 256 + 30
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
    ld hl, sound_title
    ld (sound_next), hl
    call show_kinds

#include "title_wait.asm"

; The raiders on the title take the first places of the list.
show_kinds:
    ld ix, raiders
    ld b, KIND_GRUB
    ld e, SHOWN_Y
show_kind:
    ld (ix + KIND), b
    ld (ix + RAIDER_X), SHOWN_X
    ld (ix + RAIDER_Y), e
    ld a, e
    add a, PLACE_HEIGHT
    ld e, a
    inc ix
    inc ix
    inc ix
    inc ix
    inc b
    ld a, b
    cp KIND_BAT + 1
    jr c, show_kind
    ret

; One frame of the title. Carry: space is held. How long a person waits stirs the seed.
title_frame:
    halt
    ld hl, (frames)
    inc hl
    ld (frames), hl
    call move_ship
    call stir_kinds
    call draw_star
    call play_frame
    call random
    ; the last line blinks, half a second bright and half dim
    ld a, (frames)
    and 32
    ld a, INK_TEXT
    jr z, title_blink
    ld a, INK_DIM
title_blink:
    ld bc, PROMPT_LINE * 256 + 6
    ld de, 1 * 256 + 20
    call fill_colours

#include "space_held.asm"

; They step to and fro.
stir_kinds:
    ld ix, raiders
    ld a, (frames)
    rrca
    rrca
    rrca
    and 2
    add a, SHOWN_X
    ld b, KIND_BAT
stir_kind:
    push bc
    ld (ix + RAIDER_X), a
    push af
    call draw_raider
    pop af
    ld bc, SLOT_SIZE
    add ix, bc
    pop bc
    djnz stir_kind
    ret

logo_colours:
    defb $47, $47, $45, $45
title_lines:
    defb 9, 14, $44, "10 POINTS", 0
    defb 11, 14, $45, "20 POINTS", 0
    defb 13, 14, $43, "30 POINTS", 0
    defb 15, 14, $46, "40 POINTS", 0
    defb 20, 2, INK_LABEL, "O LEFT   P RIGHT  SPACE FIRE", 0
    defb PROMPT_LINE, 6, INK_TEXT, "PRESS SPACE TO START", 0
    defb 255
