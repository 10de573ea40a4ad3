; SPDX-License-Identifier: GPL-3.0-or-later
; Names for the numbers that more than one file needs.

#include "machine.asm"

; The cave without figures, laid out like the screen: an address here is that on the screen with bit 15 set.
BUFFER equ $C000
BUFFER_ATTRIBUTES equ $D800
; What each cell is; laid out like the attributes, so the three differ in the high byte only.
CELLS equ $DB00
IMAGES_ACROSS equ $DE00         ; ACROSS_KINDS x 16 images x 48 bytes: 8 shifts to the right, 8 to the left
IMAGES_UPRIGHT equ $F000        ; UPRIGHT_KINDS x 2 images x 36 bytes

MODE_DYING equ 4
MODE_LEAVING equ 5              ; the room is done, its air is counted

; A cave fills the screen from line 3 on.
ROOM_LINE equ 3
ROOM_LINES equ 21
ROOM_CELLS equ ROOM_LINES * 32
ROOMS equ 6

; What a cell is, as bits: what moves asks for one bit, whatever else the cell may be.
CELL_EMPTY equ $00
CELL_WALL equ $C0
CELL_FLOOR equ $40
CELL_BELT_LEFT equ $44
CELL_BELT_RIGHT equ $45
CELL_CRUMBLING equ $48          ; + rows of it that are gone, 0 to 7
CELL_DEADLY equ $20
CELL_KEY equ $10
BIT_SOLID equ 7                 ; stops a body from all sides
BIT_STANDABLE equ 6             ; carries a body that comes from above
BIT_DEADLY equ 5
BIT_KEY equ 4
BIT_CRUMBLING equ 3
BIT_BELT equ 2
BIT_BELT_RIGHT equ 0

; The player is a picture of 16 x 16, of which the middle 8 columns are the body.
BODY_LEFT equ 4
BODY_RIGHT equ 12               ; the first column that is not body any more
JUMP_FRAMES equ 36
FALLING equ 255                 ; value of (jump): neither on the ground nor in a jump
FALL_SPEED equ 2
FALL_LIMIT equ 40               ; rows below the highest point that a landing survives

INPUT_RIGHT equ 0               ; bits of (input)
INPUT_LEFT equ 1
INPUT_JUMP equ 2

; Two figures touch if they are nearer than this in both directions.
TOUCH_X equ 10
TOUCH_Y equ 12

SLOTS equ 4                     ; guardians in a room at most
SLOT_SIZE equ 8
KIND equ 0                      ; a slot's fields, for IX
GUARD_X equ 1
GUARD_Y equ 2
GUARD_LOW equ 3                 ; ends of its path
GUARD_HIGH equ 4
GUARD_STEP equ 5                ; 1 or 255
GUARD_PACE equ 6                ; moves when room_frames and this is 0; bit 7: starts again at the low end
GUARD_INK equ 7

KIND_NONE equ 255
KIND_PIP equ 0                  ; kinds below 8 go left and right, at rows divisible by 8
KIND_BEETLE equ 1
KIND_BAT equ 2
KIND_CART equ 3
KIND_WORM equ 4
ACROSS_KINDS equ 5
KIND_SPIDER equ 8               ; the others go up and down, at columns divisible by 8
KIND_WISP equ 9
KIND_DRIP equ 10
UPRIGHT_KINDS equ 3

KEYS equ 6                      ; keys in a room at most
BELTS equ 4                     ; stretches of conveyor in a room at most

CAUSE_GUARDIAN equ 1
CAUSE_DEADLY equ 2
CAUSE_FALL equ 3
CAUSE_AIR equ 4

LIVES equ 3
AIR_FULL equ 224                ; one pixel of the bar each
AIR_COLUMN equ 4
DYING_FRAMES equ 30
