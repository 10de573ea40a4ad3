; SPDX-License-Identifier: GPL-3.0-or-later
; What does not move: sky, stars, ground and town.

TOWN_LINE equ 22
STARS equ 32

; Everything below the panel, and the panel blank.
draw_scene:
    ld hl, SCREEN
    ld de, SCREEN + 1
    ld bc, 6143
    ld (hl), 0
    ldir
    ld hl, ATTRIBUTES
    ld de, ATTRIBUTES + 1
    ld bc, TOWN_LINE * 32 - 1
    ld (hl), SKY
    ldir
    ld a, INK_GUN
    ld bc, 20 * 256
    ld de, 2 * 256 + 32
    call fill_colours
    ld hl, town_colours
    ld de, ATTRIBUTES + TOWN_LINE * 32
    ld bc, 64
    ldir
    ld hl, picture_town
    ld a, GROUND_Y
    ld bc, 16 * 256 + 32
    ld e, 0
    call blit
    ld b, STARS
scene_star:
    push bc
    ld a, b
    call show_star
    pop bc
    djnz scene_star
    ret

; Sky between the panel and the ground: where a game has been.
clear_sky:
    ld b, 2
clear_line:
    push bc
    call blank_line
    pop bc
    inc b
    ld a, b
    cp TOWN_LINE
    jr c, clear_line
    ld a, INK_GUN
    ld bc, 20 * 256
    ld de, 2 * 256 + 32
    jp fill_colours

#include "blit.asm"

; One star is shown anew in each frame, where nothing else is: raiders wipe them out as they pass.
draw_star:
    ld a, (frames)
show_star:
    and STARS - 1
    add a, a
    ld e, a
    ld d, 0
    ld hl, stars
    add hl, de
    ld a, (hl)
    inc hl
    ld e, (hl)                  ; E = column of pixels
    ld c, e
    srl c
    srl c
    srl c
    call row_address
    ld a, (hl)
    or a
    ret nz
    ld a, e
    and 7
    ld b, a
    inc b
    xor a
    scf
star_shift:
    rra
    djnz star_shift
    ld (hl), a
    ret

stars:                          ; row, column
    defb 37, 20, 41, 99, 35, 176, 44, 233, 50, 58, 53, 140, 49, 205, 59, 12
    defb 62, 168, 66, 84, 70, 244, 73, 35, 77, 120, 82, 191, 86, 63, 90, 222
    defb 93, 10, 95, 150, 101, 104, 102, 238, 106, 46, 109, 181, 112, 76, 115, 211
    defb 118, 131, 121, 27, 124, 161, 126, 248, 128, 92, 131, 198, 133, 52, 130, 116
town_colours:                   ; $31 is a window with a light in it
    defb $04, $02, $02, $02, $04, $03, $03, $02, $02, $02, $02, $04, $01, $01, $01, $07
    defb $07, $03, $03, $03, $04, $03, $03, $03, $02, $02, $04, $01, $01, $01, $01, $04
    defb $04, $01, $01, $01, $04, $03, $03, $31, $01, $01, $01, $04, $05, $05, $05, $07
    defb $31, $01, $01, $01, $04, $03, $03, $03, $31, $01, $04, $05, $05, $05, $05, $04
