; SPDX-License-Identifier: GPL-3.0-or-later
; Names for the numbers that more than one file needs.

#include "machine.asm"

; Above the program: every figure shifted by 0, 2, 4 and 6 pixels.
IMAGES equ $C000                ; KINDS x 4 shifts x 12 rows x 3 bytes
IMAGE_SIZE equ 36
SHIP_IMAGES equ $C400           ; 4 shifts x 5 columns x 12 rows

MODE_DYING equ 4

; Pixel rows, from the top of the picture.
SHIP_Y equ 16                   ; the mothership's lane, two lines
WALL_Y equ 136                  ; walls: two lines
WALL_TOUCH_Y equ 128            ; a raider that reaches this row tears down the walls below it
LAND_Y equ 152                  ; a raider that reaches this row has landed
GUN_Y equ 164
GROUND_Y equ 176

; Everything moves by an even number of columns, so a shot of two columns never crosses a byte.
GUN_MIN equ 10
GUN_MAX equ 230
GUN_START equ 120
GUN_STEP equ 2
GUN_WIDTH equ 14
MARCH_LEFT equ 8
MARCH_RIGHT equ 232
MARCH_STEP equ 2
MARCH_DROP equ 8

; A raider is 16 x 12 and starts at a column and row divisible by 8; the places of a formation are 24 x 16.
COLUMNS equ 7
ROWS equ 4
RAIDERS equ COLUMNS * ROWS
PLACE_WIDTH equ 24
PLACE_HEIGHT equ 16
RAIDER_ROWS equ 12

KIND equ 0                      ; a raider's fields, for IX
RAIDER_X equ 1
RAIDER_Y equ 2
SLOT_SIZE equ 4

KIND_NONE equ 0
KIND_GRUB equ 1
KIND_CRAB equ 2
KIND_LANTERN equ 3
KIND_BAT equ 4
KIND_BURST equ 5                ; the rest are no raiders, but drawn alike
KIND_GUN equ 6
KIND_WRECK equ 7
KINDS equ 7

BURST_FRAMES equ 8              ; and the march stands still
DYING_FRAMES equ 56
BANNER_FRAMES equ 60

SHOT_ROWS equ 8                 ; of the shot and of bombs
SHOT_STEP equ 3                 ; twice a frame
BOMBS equ 5

SHIP_NONE equ 0
SHIP_CROSSING equ 1             ; for points
SHIP_BOSS equ 2                 ; in the last wave
SHIP_BURST equ 3                ; its points are shown
SHIP_LEFT equ 16                ; in steps of two pixels, 16 off: the left and the right end of the boss's way
SHIP_RIGHT equ 128
SHIP_GONE equ 144
SHIP_SHOWN equ 40               ; frames
BOSS_HITS equ 16

WALLS equ 4
WALL_X equ 32                   ; of the first one
WALL_PITCH equ 56
WALL_WIDTH equ 24
WALL_BLOCKS equ 24              ; of 4 x 4 pixels in a wall: four rows of six
WALLS_WHOLE equ 160             ; strength of all blocks together

LIVES equ 3
WAVES equ 6

; Colours: bright 64, paper x 8, ink.
SKY equ $47                     ; shots and stars are white
INK_WALL equ $46
INK_GUN equ $47
INK_SHIP equ $43
