; SPDX-License-Identifier: GPL-3.0-or-later
;
; NIGHT RAID for the 48K ZX Spectrum: raiders come down over a sleeping town, wave after wave, and one gun is awake.
;
; Memory: 0x8000 start-up, 0x8100 the main loop, 0x8200 what can happen in it, 0x8400 every variable (ram.asm), 0x8600 the
; rest of the program, 0xC000 the figures, each at four places within a cell.
; All code lies above 0x8000, where the ULA never makes the CPU wait, so a frame takes the same time wherever the beam is.
; `python programs/build.py night_raid` turns art/*.txt into art.asm, assembles this file and writes the tape.

    org $8000

#include "constants.asm"

prepare equ make_images
#include "startup.asm"
#include "loop.asm"
#include "events.asm"
#include "ram.asm"

    org $8600
#include "gun.asm"
#include "shot.asm"
#include "bombs.asm"
#include "march.asm"
#include "raiders.asm"
#include "diver.asm"
#include "ship.asm"
#include "walls.asm"
#include "waves.asm"
#include "images.asm"
#include "overlay.asm"
#include "scene.asm"
#include "text.asm"
#include "hud.asm"
#include "title.asm"
#include "ending.asm"
#include "sound.asm"
#include "random.asm"
#include "art.asm"

program_end:
