; SPDX-License-Identifier: GPL-3.0-or-later

PROMPT_LINE equ 16
LOGO_LINE equ 2

title:
    xor a
    ld (mode), a
    ld (room), a
    ld (border), a
    ld (exit_open), a
    ld h, a
    ld l, a
    ld (room_frames), hl
    ld de, title_room
    call make_room
    call show_room
    ld hl, picture_logo
    ld de, SCREEN + LOGO_LINE * 32 + 4
    ld b, 40
title_row:
    push bc
    push de
    ld bc, 24
    ldir
    pop de
    ex de, hl
    inc h
    ld a, h
    and 7
    call z, row_wrap
    ex de, hl
    pop bc
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
    cp LOGO_LINE + 5
    jr c, title_logo
    ld hl, title_lines
    call print_lines
    ld bc, 0 * 256 + 15
    ld hl, best
    call print_bcd
    ld hl, sound_title
    ld (sound_next), hl

#include "title_wait.asm"

; One frame of the title. Carry: space is held.
title_frame:
    call pageant_frame
    ; the last line blinks, half a second bright and half dim
    ld a, (room_frames)
    and 32
    ld a, INK_TEXT
    jr z, title_blink
    ld a, INK_DIM
title_blink:
    ld bc, PROMPT_LINE * 256 + 6
    ld de, 1 * 256 + 20
    call fill_colours

#include "space_held.asm"

; A frame in which figures walk about and nobody plays.
pageant_frame:
    halt
    ld hl, (room_frames)
    inc hl
    ld (room_frames), hl
    call move_guardians
    call draw_guardians
    call draw_scenery
    jp play_frame

logo_colours:
    defb $46, $46, $43, $43, $42
title_lines:
    defb 8, 5, $46, "SIX CAVES. THREE LIVES", 0
    defb 10, 4, INK_LABEL, "TAKE EVERY KEY, THEN THE", 0
    defb 11, 4, INK_LABEL, "DOOR, BEFORE THE AIR ENDS", 0
    defb 13, 2, $44, "O LEFT   P RIGHT  SPACE JUMP", 0
    defb 0, 10, INK_DIM, "BEST", 0
    defb PROMPT_LINE, 6, INK_TEXT, "PRESS SPACE TO START", 0
    defb 255
