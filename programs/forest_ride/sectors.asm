; SPDX-License-Identifier: GPL-3.0-or-later
; The eight sectors: speed (1/64 units a turn), units from tree to tree, units of a sixteenth of the way, riders, riders at
; once, colours.

SECTOR_ROW equ 7
PALETTE_NAME equ 22             ; offset of the name in a palette

sector_table:
    defb 88, 6, 48, 2, 1
    defw palette_morning
    defb 98, 6, 48, 2, 1
    defw palette_night
    defb 108, 5, 48, 3, 1
    defw palette_noon
    defb 118, 5, 48, 3, 2
    defw palette_moon
    defb 128, 5, 48, 4, 2
    defw palette_snow
    defb 138, 4, 48, 4, 2
    defw palette_dark
    defb 148, 4, 48, 5, 2
    defw palette_autumn
    defb 158, 4, 48, 5, 2
    defw palette_storm

; The paper of the fifteen lines of the view; the inks of near, middle and far trunks and of grass; those of riders and
; bolts; 1 by night; the name.
palette_morning:
    defb $28, $28, $28, $28, $30, $20, $20, $20, $20, $20, $20, $20, $20, $20, $20
    defb 2, 0, 1, 0, 2, 7, 0
    defb "MORNING", 0
palette_night:
    defb $00, $00, $00, $08, $08, $00, $00, $00, $00, $00, $00, $00, $00, $00, $00
    defb 7, 4, 4, 4, 6, 7, 1
    defb "NIGHT", 0
palette_noon:
    defb $68, $68, $68, $68, $78, $60, $60, $60, $60, $60, $60, $60, $60, $60, $60
    defb 2, 0, 1, 0, 3, 7, 0
    defb "NOON", 0
palette_moon:
    defb $08, $08, $08, $08, $18, $00, $00, $00, $00, $00, $00, $00, $00, $00, $00
    defb 7, 5, 4, 4, 6, 7, 1
    defb "MOON", 0
palette_snow:
    defb $68, $68, $68, $68, $78, $78, $78, $78, $78, $78, $78, $78, $78, $78, $78
    defb 0, 1, 1, 5, 2, 0, 0
    defb "SNOW", 0
palette_dark:
    defb $00, $00, $00, $00, $08, $00, $00, $00, $00, $00, $00, $00, $00, $00, $00
    defb 6, 6, 2, 2, 7, 7, 1
    defb "DARK", 0
palette_autumn:
    defb $28, $28, $28, $38, $38, $30, $30, $30, $30, $30, $30, $30, $30, $30, $30
    defb 2, 0, 1, 2, 1, 7, 0
    defb "AUTUMN", 0
palette_storm:
    defb $08, $08, $08, $18, $10, $00, $00, $00, $00, $00, $00, $00, $00, $00, $00
    defb 7, 5, 5, 4, 6, 7, 1
    defb "STORM", 0
palette_title:
    defb $08, $08, $18, $10, $30, $00, $00, $00, $00, $00, $00, $00, $00, $00, $00
    defb 0, 0, 0, 0, 0, 7, 1
