; SPDX-License-Identifier: GPL-3.0-or-later
; Names for the numbers that more than one file needs.

#include "machine.asm"

; Above the program: eight images of the basket, the stack, the interrupt vectors.
BASKET_IMAGES equ $C000         ; 8 shifts x 16 rows x 5 bytes

; Pixel rows, from the top of the picture.
SPAWN_Y equ 32                  ; wholly behind the leaves
LEAVES_Y equ 48                 ; an acorn is drawn from this row on
CATCH_Y equ 142                 ; its tip is 6 rows below the rim of the basket: caught or missed
GROUND_Y equ 152                ; it has reached the grass
BASKET_Y equ 152

; Pixel columns. The trunk fills 0 to 31.
BASKET_MIN equ 32
BASKET_MAX equ 223              ; one short of the edge, so that a shifted image never wraps round the line
BASKET_START equ 128
BASKET_STEP equ 3               ; a frame

; Acorns fall at places: place n covers columns 32 + 16n to 47 + 16n, whole character cells, so colours never mix.
PLACES equ 14

SLOTS equ 4                     ; acorns in the air at once
SLOT_SIZE equ 8
KIND equ 0                      ; a slot's fields, for IX
PLACE_X equ 1
Y_FRAC equ 2
Y equ 3
DRAWN_Y equ 4                   ; the row at which the screen still shows it
PHASE equ 5

KIND_NONE equ 0
KIND_GOOD equ 1
KIND_ROTTEN equ 2

PHASE_FALLING equ 0
PHASE_PASSED equ 1              ; missed the basket; falls on for the eye only
PHASE_GONE equ 2                ; to be wiped off the screen, then the slot is free

LIVES equ 5
LEVELS equ 8
GOOD_PER_LEVEL equ 12
BANNER_FRAMES equ 56
ROTTEN_DISTANCE equ 3           ; places between a rotten acorn and the last good one

SKY equ $47                     ; bright white ink; the paper of the whole sky is black
INK_GOOD equ $46
INK_ROTTEN equ $43
INK_BASKET equ $47
BORDER_HURT equ 2               ; red for a moment when a life is lost
HURT_FRAMES equ 5
