; SPDX-License-Identifier: GPL-3.0-or-later
; The mothership. It crosses above the raiders now and then; in the last wave it stays and is the boss. It enters and leaves
; at the edges of the screen, so it is drawn column by column, as far as they are on it.

SHIP_PERIOD equ 90              ; from one crossing to the next, in 8 frames
BOSS_ANGRY equ 8                ; with so few hits to take it flies twice as fast

move_ship:
    ld a, (ship)
    or a
    jr z, ship_comes
    dec a
    jr z, ship_crosses
    dec a
    jr z, boss_flies
; The points stand for a while.
    ld hl, ship_clock
    dec (hl)
    ret nz
    call clear_lane
ship_gone:
    xor a
    ld (ship), a
    ld a, SHIP_PERIOD
    ld (ship_clock), a
    ret

ship_comes:
    ld a, (wave)
    cp WAVES                    ; after the boss there is none
    ret z
    ld a, (frames)
    and 7
    ret nz
    ld hl, ship_clock
    dec (hl)
    ret nz
    call random
    ld c, a
    and 6
    ld e, a
    ld d, 0
    ld hl, ship_points
    add hl, de
    ld e, (hl)
    inc hl
    ld d, (hl)
    ld (ship_worth), de
    ld de, 1 * 256 + 0          ; from the left
    bit 3, c
    jr z, ship_enters
    ld de, 255 * 256 + SHIP_GONE
ship_enters:
    ld a, e
    ld (ship_x), a
    ld a, d
    ld (ship_dx), a
    ld a, SHIP_CROSSING
    ld (ship), a
    ld hl, sound_ship
    jp sound_if_silent

ship_crosses:
    ld a, (frames)
    rrca
    ret c
    ld a, (ship_dx)
    ld hl, ship_x
    add a, (hl)
    ld (hl), a
    push af
    ld a, INK_SHIP
    call draw_ship              ; beyond the edge, too: that wipes the last column
    pop af
    or a
    jr z, ship_gone
    cp SHIP_GONE
    jr z, ship_gone
    ret

boss_flies:
    ld hl, ship_flash
    ld a, (hl)
    or a
    jr z, boss_calm
    dec (hl)
boss_calm:
    ld a, (ship_hits)
    cp BOSS_ANGRY
    jr c, boss_moves
    ld a, (frames)
    rrca
    jr c, boss_drawn
boss_moves:
    ld a, (ship_dx)
    ld c, a
    ld hl, ship_x
    add a, (hl)
    ld (hl), a
    cp SHIP_LEFT + 1
    ld b, 1
    jr c, boss_turns
    cp SHIP_RIGHT
    ld b, 255
    jr nc, boss_turns
    ; two times in three seconds or so it changes its mind
    ld a, (frames)
    and 31
    jr nz, boss_drawn
    call random
    cp 96
    jr nc, boss_drawn
    xor a
    sub c
    ld b, a
boss_turns:
    ld a, b
    ld (ship_dx), a
boss_drawn:
    ld a, (ship_flash)
    or a
    ld a, $47
    jr nz, draw_ship
    ld a, (ship_hits)
    cp 11
    ld b, INK_SHIP
    jr nc, boss_coloured
    ld b, $46
    cp 6
    jr nc, boss_coloured
    ld b, $42
boss_coloured:
    ld a, b

; A = colour
draw_ship:
    ld b, a
    ld a, (ship_x)
    and 3
    add a, a
    ld e, a
    ld d, 0
    ld hl, ship_table
    add hl, de
    ld e, (hl)
    inc hl
    ld d, (hl)
    ld a, (ship_x)
    srl a
    srl a
    sub 5
    ld c, a                     ; the column beside it, which it may have left
    call wipe_lane
    ld a, 5
ship_column:
    inc c
    push af
    call draw_ship_column
    pop af
    dec a
    jr nz, ship_column
    inc c

; Column C of the lane is sky, if there is such a column. Keeps B, C and DE.
wipe_lane:
    ld a, c
    cp 32
    ret nc
    push de
    push bc
    ld de, no_ship
    ld b, SKY
    call draw_ship_column
    pop bc
    pop de
    ret

; Twelve rows at column C in colour B, if there is such a column: DE = image, which is moved on. Keeps BC.
draw_ship_column:
    ld a, c
    cp 32
    jr nc, column_off
    ld l, c
    ld h, ATTRIBUTES / 256
    ld a, l
    add a, SHIP_Y / 8 * 32
    ld l, a
    ld (hl), b
    add a, 32
    ld l, a
    ld (hl), b
    sub 32
    ld l, a
    ld h, SCREEN / 256
    push bc
    ld b, 8
column_upper:
    ld a, (de)
    ld (hl), a
    inc de
    inc h
    djnz column_upper
    call row_wrap
    ld b, RAIDER_ROWS - 8
column_lower:
    ld a, (de)
    ld (hl), a
    inc de
    inc h
    djnz column_lower
    pop bc
    ret
column_off:
    ld hl, RAIDER_ROWS
    add hl, de
    ex de, hl
    ret

; The ship is shot: its points take its place.
burst_ship:
    ld a, SHIP_BURST
    ld (ship), a
    ld a, SHIP_SHOWN
    ld (ship_clock), a
    call clear_lane
    ld a, SKY
    ld (ink), a
    ld a, (ship_x)
    srl a
    srl a
    sub 4
    jr nc, burst_left
    xor a
burst_left:
    cp 29
    jr c, burst_right
    ld a, 28
burst_right:
    ld c, a
    ld b, SHIP_Y / 8
    ld hl, ship_worth + 1
    ld a, (hl)
    call print_digit
    dec hl
    jp print_two_digits

; The whole lane is sky.
clear_lane:
    ld a, SHIP_Y
    ld b, RAIDER_ROWS
    ld c, 0
lane_row:
    push bc
    push af
    call row_address
    ld d, 0
    call fill_lane
    pop af
    pop bc
    inc a
    djnz lane_row
    ld hl, ATTRIBUTES + SHIP_Y / 8 * 32
    ld d, SKY
    call fill_lane
    inc hl
    ld d, SKY

; 32 bytes from HL on become D; HL is left on the last one.
fill_lane:
    ld (hl), d
    ld d, h
    ld e, l
    inc e
    ld bc, 31
    ldir
    dec hl
    ret

ship_points:                    ; BCD
    defw $0050, $0100, $0150, $0200
ship_table:
    defw SHIP_IMAGES, SHIP_IMAGES + 60, SHIP_IMAGES + 120, SHIP_IMAGES + 180
no_ship:
    defb 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0
