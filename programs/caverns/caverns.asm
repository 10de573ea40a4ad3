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

prepare equ make_images
#include "startup.asm"
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
