; SPDX-License-Identifier: GPL-3.0-or-later

; Names that hold for every program of ours: the machine, what lies above the program, modes and colours.

SCREEN equ $4000
ATTRIBUTES equ $5800

STACK_TOP equ $FDF0
VECTOR_ENTRY equ $FDFD
VECTORS equ $FE00
VECTOR_BYTE equ $FD

MODE_TITLE equ 0
MODE_PLAYING equ 1
MODE_OVER equ 2
MODE_WON equ 3

; Colours: bright 64, paper x 8, ink.
INK_LABEL equ $45
INK_TEXT equ $47
INK_DIM equ $05
