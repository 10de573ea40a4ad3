; SPDX-License-Identifier: GPL-3.0-or-later
; From sector to sector, and on after a crash.

next_sector:
    ld hl, sector
    ld a, (hl)
    cp SECTORS
    jp z, game_finished
    inc (hl)
    ld b, 20
    call wait_frames
    call start_sector
    jp ride_on

; The view flashes and roars; then the ride goes on from the same place, or the game is over.
after_crash:
    ld b, CRASH_FRAMES
crash_frame:
    push bc
    ld a, b
    and 7
    jr nz, crash_sound
    ld a, b
    and 8
    ld a, $16                   ; yellow on red
    jr z, crash_colour
    ld a, $72                   ; red on bright yellow
crash_colour:
    ld bc, VIEW_LINE * 256
    ld de, VIEW_LINES * 256 + 32
    call fill_colours
crash_sound:
    halt
    ld a, (border)
    xor 2
    ld (border), a
    out ($FE), a
    call play_frame
    call draw_hud
    pop bc
    djnz crash_frame
    xor a
    ld (border), a
    out ($FE), a
    ld a, (lives)
    or a
    jp z, game_over
    call begin_ride
    jp ride_on

; The sector (sector) from its beginning.
start_sector:
    ld a, (sector)
    ld hl, sector_table - SECTOR_ROW
    ld de, SECTOR_ROW
    ld b, a
seek_sector:
    add hl, de
    djnz seek_sector
    ld de, sector_row
    ld bc, SECTOR_ROW
    ldir
    ld a, (quota)
    ld (riders_left), a
    xor a
    ld (sector_marks), a
    ld h, a
    ld l, a
    ld (distance), hl
    ld a, (mark_length)
    ld (mark_left), a
    call set_palette
    call draw_panel
    ; falls through

; Onto the bike, with a clear way ahead.
begin_ride:
    call clear_forest
    call show_view
    ld a, SPEED_FIRST
    ld (speed), a
    ld b, 6
dash_whole:
    push bc
    call draw_dash
    pop bc
    djnz dash_whole
    call draw_hud
    call name_sector
    ld b, BANNER_FRAMES
    call wait_frames
    jp show_view

; B frames, with what sound there is.
wait_frames:
    push bc
    halt
    call play_frame
    pop bc
    djnz wait_frames
    ret

SPEED_FIRST equ 40

; No trees, no riders, no bolt; the tufts in their places.
clear_forest:
    xor a
    ld (tree_count), a
    ld (bolt_z), a
    ld (reload), a
    ld (steer), a
    ld (tufts_drawn), a
    ld (shapes), a
    ld (riders), a
    ld (riders + SLOT_SIZE), a
    ld a, $FF & trees
    ld (tree_first), a
    ld a, 30
    ld (rider_wait), a
    ld a, (ride + 1)
    ld c, a
    add a, TREE_CLEAR
    ld (tree_last), a
    ld hl, tufts
    ld b, TUFTS
    ld a, c
clear_tuft:
    ld (hl), b
    ld d, a
    ld a, b
    rrca
    rrca
    rrca
    rrca
    xor b
    add a, a
    add a, a
    add a, b
    ld (hl), a
    ld a, d
    inc l
    ld (hl), a
    inc l
    add a, 10
    djnz clear_tuft
    ret

; The colours of the columns out of the sector's palette.
set_palette:
    ld hl, (palette)
    ld de, VIEW_LINES
    push hl
    add hl, de
    ; the four inks
    ld de, ATTRS
    ld b, 4
palette_ink:
    ld c, (hl)
    inc hl
    ex (sp), hl
    push hl
    push bc
    ld b, VIEW_LINES
palette_line:
    ld a, (hl)
    or c
    ld (de), a
    inc hl
    inc e
    djnz palette_line
    inc e
    pop bc
    pop hl
    ex (sp), hl
    djnz palette_ink
    pop de
    ld a, (hl)
    ld (ink_rider), a
    inc hl
    ld a, (hl)
    ld (ink_bolt), a
    inc hl
    ld a, (hl)
    ld (night), a
    ret

; An empty view: foliage, sky and ground.
show_view:
    ; all that columns and screen hold of the past
    ld hl, COLUMNS
    ld de, COLUMNS + 1
    ld bc, 1023
    ld (hl), 0
    ldir
    ld hl, COLUMNS
    ld b, 64
view_list:
    ld (hl), 255                ; the end of each list
    ld de, 16
    add hl, de
    djnz view_list
    ld hl, DIRTY_END
    ld b, 32
view_clean:
    ld (hl), 0
    inc h
    ld (hl), 255
    dec h
    inc l
    djnz view_clean
    ld a, COLUMNS / 256
    ld (now), a
    ld b, 0
view_row:
    push bc
    ld h, ROW_LOW / 256
    ld l, b
    ld a, (hl)
    set 7, l
    ld h, (hl)
    ld l, a
    ld d, h
    ld e, l
    inc e
    ld (hl), 0
    ld bc, 31
    ldir
    pop bc
    inc b
    ld a, b
    cp VIEW_ROWS
    jr nz, view_row
    ; its colours
    ld hl, ATTRIBUTES + VIEW_LINE * 32
    ld de, ATTRS + 48
    ld c, VIEW_LINES
view_line:
    ld a, (de)
    ld b, 32
view_cell:
    ld (hl), a
    inc hl
    djnz view_cell
    inc e
    dec c
    jr nz, view_line
    ; the foliage above
    ld hl, picture_foliage
    ld de, SCREEN + (VIEW_LINE - 2) * 32
    call view_leaves
    ld de, SCREEN + (VIEW_LINE - 1) * 32
    call view_leaves
    ld a, (night)
    or a
    ld a, $44
    jr z, view_foliage
    ld a, $04
view_foliage:
    ld bc, (VIEW_LINE - 2) * 256
    ld de, 2 * 256 + 32
    jp fill_colours
view_leaves:
    ld a, 8
view_leaf:
    push de
    ld bc, 32
    ldir
    pop de
    inc d
    dec a
    jr nz, view_leaf
    ret
