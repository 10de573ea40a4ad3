; SPDX-License-Identifier: GPL-3.0-or-later
;
; FOREST RIDE for the 48K ZX Spectrum: at speed between the trees, by day and by night, through eight sectors.
;
; Memory: 0x8000 start-up, 0x8100 the main loop, 0x8200 what can happen in it, 0x8400 every variable (ram.asm), 0x8500 the
; rest of the program; 0xC000 what each column of the screen shows, and tables that are made at the start (tables.asm).
; All code lies above 0x8000, where the ULA never makes the CPU wait, so a frame takes the same time wherever the beam is.
; `python programs/build.py forest_ride` turns art/*.txt into art.asm, assembles this file and writes the tape.

    org $8000

#include "constants.asm"

prepare equ make_tables
#include "startup.asm"
#include "loop.asm"
#include "events.asm"
#include "ram.asm"

    org $8500
#include "ride.asm"
#include "trees.asm"
#include "riders.asm"
#include "bolt.asm"
#include "project.asm"
#include "columns.asm"
#include "paint.asm"
#include "colours.asm"
#include "figures.asm"
#include "draw.asm"
#include "images.asm"
#include "tufts.asm"
#include "sector.asm"
#include "text.asm"
#include "hud.asm"
#include "title.asm"
#include "ending.asm"
#include "sound.asm"
#include "random.asm"
#include "tables.asm"
#include "sectors.asm"
#include "art.asm"

program_end:
