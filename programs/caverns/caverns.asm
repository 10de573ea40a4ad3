; SPDX-License-Identifier: GPL-3.0-or-later
;
; CAVERNS for the 48K ZX Spectrum: six caves, one screen each. Take every key, then reach the door.
;
; Memory: 0x8000 start-up, 0x8100 the main loop, 0x8200 what can happen in it, 0x8400 every variable (ram.asm), 0x8500 the
; rest of the program; 0xC000 a second picture without figures, 0xDB00 what each cell of the cave is, 0xDE00 the figures.
; All code lies above 0x8000, where the ULA never makes the CPU wait, so a frame takes the same time wherever the beam is.
; `python programs/build.py caverns` turns art/*.txt into art.asm, assembles this file and writes the tape.

    org $8000

#include "constants.asm"

; USR lands here. BASIC and the ROM are left behind for good.
start:
    di
    ld sp, STACK_TOP

    ; Interrupt mode 2 with a handler that does nothing: HALT wakes at the frame's start and no ROM routine eats
    ; into the time before the beam reaches the picture. The data bus may hold any byte, so all 257 bytes of the
    ; table are alike and every vector is 0xFDFD.
    ld hl, VECTORS
    ld de, VECTORS + 1
    ld (hl), VECTOR_BYTE
    ld bc, 256
    ldir
    ld hl, frame_interrupt
    ld (VECTOR_ENTRY + 1), hl
    ld a, $C3                   ; JP
    ld (VECTOR_ENTRY), a
    ld a, VECTORS / 256
    ld i, a
    im 2

    xor a
    out ($FE), a
    call make_images
    ei
    jp title

frame_interrupt:
    ei
    ret

#include "loop.asm"
#include "events.asm"
#include "ram.asm"

    org $8500
#include "player.asm"
#include "cells.asm"
#include "touch.asm"
#include "guardians.asm"
#include "images.asm"
#include "draw.asm"
#include "sprites.asm"
#include "upright.asm"
#include "room.asm"
#include "lists.asm"
#include "scenery.asm"
#include "text.asm"
#include "hud.asm"
#include "title.asm"
#include "ending.asm"
#include "sound.asm"
#include "rooms.asm"
#include "art.asm"

program_end:
