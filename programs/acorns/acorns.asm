; SPDX-License-Identifier: GPL-3.0-or-later
;
; ACORNS for the 48K ZX Spectrum: catch the acorns that fall from the oak, leave the rotten ones.
;
; Memory: 0x8000 start-up, 0x8100 the main loop, 0x8200 what can happen in it, 0x8400 every variable (ram.asm), 0x8500 the rest.
; All code lies above 0x8000, where the ULA never makes the CPU wait, so a frame takes the same time wherever the beam is.
; `python programs/build.py acorns` turns art/*.txt into art.asm, assembles this file and writes the tape.

    org $8000

#include "constants.asm"

prepare equ shift_basket
#include "startup.asm"
#include "loop.asm"
#include "events.asm"
#include "ram.asm"

    org $8500
#include "fall.asm"
#include "spawn.asm"
#include "random.asm"
#include "draw.asm"
#include "basket.asm"
#include "scene.asm"
#include "text.asm"
#include "hud.asm"
#include "title.asm"
#include "ending.asm"
#include "sound.asm"
#include "levels.asm"
#include "art.asm"

program_end:
