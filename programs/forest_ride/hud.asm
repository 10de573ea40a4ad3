; SPDX-License-Identifier: GPL-3.0-or-later
; The panel: two lines above the view, the handlebars below it.

BAR_COLUMN equ 4
RIDERS_COLUMN equ 27
MOST_RIDERS equ 5
HANDLEBARS_COLUMN equ 8
DASH_LINES equ 5
LEANING equ 15                  ; leans of the bike from which the handlebars lean
UPRIGHT equ 5                   ; and up to which they are straight
HANDLEBARS_COLUMNS equ 16

; What does not change in a sector.
draw_panel:
    ld hl, SCREEN + $1000 + (DASH_LINE - 16) * 32
    ld b, 8
panel_row:
    push hl
    ld c, 5 * 32
panel_byte:
    ld (hl), 0
    inc l
    dec c
    jr nz, panel_byte
    pop hl
    inc h
    djnz panel_row
    ld a, $05
    ld bc, DASH_LINE * 256
    ld de, 5 * 256 + 32
    call fill_colours
    ld a, $44
    ld bc, 1 * 256 + BAR_COLUMN
    ld de, 1 * 256 + MARKS
    call fill_colours
    ld hl, panel_lines
    call print_lines
    ld a, INK_TEXT
    ld (ink), a
    ld bc, 21
    ld a, (sector)
    call print_digit
    ld a, 255
    ld (lean), a
    ld (dash_line), a
    ld (shown_speed), a
    ld a, 1
    ld (hud_changed), a
    ; the name of the sector, on the right
    ld hl, (palette)
    ld de, PALETTE_NAME
    add hl, de
    ld a, INK_TEXT
    ld (ink), a
    ld bc, 22 * 256 + 25
    jp print

; The sector, in the middle of the view.
name_sector:
    ; in black by day and white by night, on the ground
    ld a, (night)
    or a
    jr z, name_ink
    ld a, 7
name_ink:
    ld hl, ATTRS + 48 + 8
    or (hl)
    ld (ink), a
    ld hl, name_text
    ld bc, 12 * 256 + 12
    call print
    ld bc, 12 * 256 + 19
    ld a, (sector)
    jp print_digit

; Prints what changes, if it has changed.
draw_hud:
    call draw_speed
    ld hl, hud_changed
    ld a, (hl)
    or a
    ret z
    ld (hl), 0
    ld a, INK_TEXT
    ld (ink), a
    ld bc, 6
    ld hl, score
    call print_bcd
    ; a helmet for each life, a rider for each that is left
    ld a, $46
    ld (ink), a
    ld bc, 29
    ld a, (lives)
    ld de, LIVES * 256 + 64     ; '@' is drawn as a helmet
    call print_icons
    ld a, $43
    ld (ink), a
    ld bc, 1 * 256 + RIDERS_COLUMN
    ld a, (riders_left)
    ld de, MOST_RIDERS * 256 + 35 ; '#' is drawn as a rider
    call print_icons

    ; the bar: a cell for each sixteenth
    ld a, (sector_marks)
    ld c, a
    ld b, MARKS
    ld hl, SCREEN + 1 * 32 + BAR_COLUMN
hud_mark:
    ld a, c
    or a
    ld de, $4242                ; not yet
    jr z, hud_cell
    dec c
    ld de, $7E7E
hud_cell:
    push hl
    inc h
    ld (hl), $7E
    inc h
    ld (hl), e
    inc h
    ld (hl), e
    inc h
    ld (hl), e
    inc h
    ld (hl), e
    inc h
    ld (hl), $7E
    pop hl
    inc l
    djnz hud_mark
    ret

; At BC, D cells: A times the character E, then blanks.
print_icons:
    or a
    jr z, row_blank
    dec a
    push af
    ld a, e
    jr row_cell
row_blank:
    push af
    ld a, 32
row_cell:
    push de
    call print_character
    pop de
    inc c
    pop af
    dec d
    jr nz, print_icons
    ret

; Three digits, in miles an hour.
draw_speed:
    ld a, (speed)
    ld hl, shown_speed
    cp (hl)
    ret z
    ld (hl), a
    ld e, a
    ld a, INK_TEXT
    ld (ink), a
    ld bc, 22 * 256 + 2
    ld d, 100
    call speed_digit
    ld d, 10
    call speed_digit
    ld d, 1
speed_digit:
    ld a, e
    ld l, 255
speed_take:
    inc l
    sub d
    jr nc, speed_take
    add a, d
    ld h, a
    ld a, l
    push hl
    call print_digit
    pop hl
    ld e, h
    ret

; The handlebars, if they are to lean another way than they do: in two turns, three lines and two.
draw_dash:
    ld a, (dash_line)
    cp DASH_LINES
    jr nc, dash_think
    call dash_on
    jr dash_on
dash_think:
    ; B = 0 left, 1 straight, 2 right; between them they stay as they are
    ld a, (steer)
    ld b, 0
    cp 257 - LEANING
    jp m, dash_lean
    ld b, 2
    cp LEANING
    jp p, dash_lean
    dec b
    add a, UPRIGHT
    cp UPRIGHT * 2 + 1
    ret nc
dash_lean:
    ld a, b
    ld hl, lean
    cp (hl)
    ret z
    ld (hl), a
    ld hl, handlebars
    add a, a
    ld e, a
    ld d, 0
    add hl, de
    ld e, (hl)
    inc hl
    ld d, (hl)
    ld (dash_picture), de
    xor a
    ld (dash_line), a
    call dash_on
    call dash_on
dash_on:
    ; the next line, if there is one
    ld hl, dash_line
    ld a, (hl)
    cp DASH_LINES
    ret nc
    inc (hl)
    rrca
    rrca
    rrca
    add a, (DASH_LINE - 16) * 32 + HANDLEBARS_COLUMN
    ld e, a
    ld d, SCREEN / 256 + 16
    ld hl, (dash_picture)
    ld a, 8
dash_row:
    push de
    ldi
    ldi
    ldi
    ldi
    ldi
    ldi
    ldi
    ldi
    ldi
    ldi
    ldi
    ldi
    ldi
    ldi
    ldi
    ldi
    pop de
    inc d
    dec a
    jr nz, dash_row
    ld (dash_picture), hl
    ret

handlebars:
    defw picture_handlebars_left, picture_handlebars, picture_handlebars_right
panel_lines:
    defb 0, 0, INK_LABEL, "SCORE         SECTOR    LIVES    ", 0
    defb 1, 0, INK_LABEL, "ROAD                 RIDERS", 0
    defb 21, 1, INK_LABEL, "SPEED", 0
    defb 21, 25, INK_LABEL, "LIGHT", 0
    defb 22, 25, INK_TEXT, "       ", 0
    defb 255
name_text:
    defb "SECTOR", 0
