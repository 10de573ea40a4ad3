; SPDX-License-Identifier: GPL-3.0-or-later
; Names for the numbers that more than one file needs.

#include "machine.asm"

; What each of the 32 columns of cells shows, this time and last time (columns.asm): 16 bytes each.
COLUMNS equ $C000               ; and $C200
ROW_LOW equ $C400               ; address of each row of the view, at column 0
ROW_HIGH equ $C480
UP_LOW equ $C500                ; where the painter begins to write upwards before each row
UP_HIGH equ $C600
SCALE equ $C700                 ; for each distance: columns a unit, in 1/16 below FAR, in 1/64 from there on
BASE equ $C780                  ; the row of the view in which a tree stands
WIDTH equ $C800                 ; columns that its trunk is wide
LIST_COLOURS equ 14             ; offsets in such a list
LIST_LAST equ 15
LIST_FULL equ 12                ; no more pairs
DIRTY_END equ $C900             ; for each column: the end of the rows that figures were drawn over, 0 none
DIRTY_BEGIN equ $CA00           ; and the first of them, 255 none
LEFT_BITS equ $C920             ; of a byte, from the left edge on
RIGHT_BITS equ $C928            ; up to the right edge
ATTRS equ $C940                 ; the colours of a column, 4 x 16 bytes: with a near trunk, a middle one, a far one, none
PAINTER equ $CD00               ; code that writes a column from a row up to the top of the view
IMAGES equ $D200                ; the figures, shifted eight ways, column by column (images.asm)

TUFT_LIST equ $CB00             ; address and bits of each tuft of this turn
TUFT_SHOWN equ $CB80            ; and of those on the screen

MODE_CRASHED equ 4
MODE_LEAVING equ 5              ; the sector is done

; The view: lines 4 to 18, under two lines of foliage.
VIEW_LINE equ 4
VIEW_LINES equ 15
VIEW_ROWS equ 120
ALIKE equ 4                     ; rows by which two trunks in a column must differ to be told apart
FEW_ROWS equ 7                  ; fewer are written without the painter
VIEW_Y equ 32
HORIZON equ 40                  ; the row of the view in which the ground begins
DASH_LINE equ 19

; Distances are units from the player, 0 to 127. A unit aside is 9 columns at distance 0, 1 at distance 127.
FAR equ 32
NEAR_INK equ 26                 ; nearer trees have the near colour
MIDDLE_INK equ 64

TREES equ 32                    ; ahead at once, at most
TREE_HORIZON equ 98             ; they come into being here, or some units further off
TREE_CLEAR equ 52               ; the first one of a sector is no nearer
TREE_HIT equ 4                  ; units aside that are too near when a tree is passed
BOLT_TREE equ 3                 ; units aside at which a tree stops a bolt

STEER_STEP equ 5                ; 1/16 units a turn, every turn that a key is held
STEER_MOST equ 25

SLOTS equ 2                     ; riders at once, at most
SLOT_SIZE equ 8
STATE equ 0                     ; a slot's fields, for IX
RIDER_X_FRAC equ 1
RIDER_X equ 2
RIDER_Z equ 3
RIDER_AIM equ 4                 ; the distance that it keeps
RIDER_VX equ 5                  ; 1/16 units a turn, signed
RIDER_TIME equ 6                ; turns until it rides off
RIDER_TURN equ 7                ; turns until it thinks again

RIDER_NONE equ 0
RIDER_RIDING equ 1
RIDER_SHOT equ 2                ; bursting
RIDER_LEAVING equ 3

RIDER_FIRST equ 112             ; where it comes into view
RIDER_HIT equ 6                 ; units aside at which a bolt hits
RIDER_DODGE equ 6               ; units aside at which a tree ahead is too near
RIDER_LOOK equ 14               ; units ahead that it looks
BURST_TURNS equ 14

BOLT_SPEED equ 6                ; units a turn, faster than the player
BOLT_LAST equ 96                ; it fades here
RELOAD equ 14                   ; turns from one bolt to the next

TUFTS equ 10
LIVES equ 3
SECTORS equ 8
MARKS equ 16                    ; parts of a sector's way
CRASH_FRAMES equ 50
BANNER_FRAMES equ 50

INPUT_RIGHT equ 0               ; bits of (input)
INPUT_LEFT equ 1
INPUT_FIRE equ 2
