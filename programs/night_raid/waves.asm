; SPDX-License-Identifier: GPL-3.0-or-later

WAVE_ROW equ 16
BANNER_LINE equ 14

; A = wave: its raiders take their places, the walls are mended, and its name stands in the sky.
start_wave:
    ld (wave), a
    ld b, a
    ld hl, wave_table - WAVE_ROW
    ld de, WAVE_ROW
wave_seek:
    add hl, de
    djnz wave_seek
    ld de, wave_y
    ld bc, WAVE_ROW
    ldir
    call erase_overlay
    call clear_shots
    call place_raiders
    ; the town mends its walls before every other wave
    ld a, (wave)
    rrca
    call c, build_walls
    call draw_walls

    ld hl, raiders
    ld (march_next), hl
    xor a
    ld (march_drop), a
    ld (march_edge), a
    ld a, (bomb_period)
    ld (bomb_clock), a
    ld a, (dive_period)
    ld (dive_clock), a
    ld a, BANNER_FRAMES
    ld (banner), a
    ld a, 1
    ld (hud_changed), a
    ld hl, sound_wave
    ld (sound_next), hl

    ld a, INK_LABEL
    ld (ink), a
    ld hl, banner_text
    ld bc, BANNER_LINE * 256 + 12
    call print
    ld a, (wave)
    call print_digit
    ld a, INK_TEXT
    ld (ink), a
    ld hl, (wave_name)
    ld b, BANNER_LINE + 1
    ld c, (hl)
    inc hl
    call print

    ld a, (wave)
    cp WAVES
    ret nz
    ; the boss comes from the left
    call clear_lane
    ld a, SHIP_BOSS
    ld (ship), a
    ld a, BOSS_HITS
    ld (ship_hits), a
    xor a
    ld (ship_x), a
    ld (ship_flash), a
    inc a
    ld (ship_dx), a
    ret

; Every place of the formation, from the bottom row up.
place_raiders:
    xor a
    ld (marching), a
    ld ix, raiders
    ld hl, wave_rows
    ld a, (wave_y)
    add a, (ROWS - 1) * PLACE_HEIGHT
    ld e, a                     ; E = row on the screen, D = column
place_row:
    ld b, (hl)                  ; bits 6 to 0: who is there
    inc hl
    ld c, (hl)                  ; kind
    inc hl
    sla b
    ld d, (256 - PLACE_WIDTH * COLUMNS + 8) / 2
place_one:
    ld (ix + RAIDER_X), d
    ld (ix + RAIDER_Y), e
    ld (ix + KIND), KIND_NONE
    sla b
    jr nc, place_next
    ld (ix + KIND), c
    ld a, (marching)
    inc a
    ld (marching), a
place_next:
    inc ix
    inc ix
    inc ix
    inc ix
    ld a, d
    add a, PLACE_WIDTH
    ld d, a
    cp (256 - PLACE_WIDTH * COLUMNS + 8) / 2 + PLACE_WIDTH * COLUMNS
    jr c, place_one
    ld a, e
    sub PLACE_HEIGHT
    ld e, a
    ld a, (wave_y)
    sub PLACE_HEIGHT
    cp e
    jr nz, place_row
    ld a, (marching)
    ld (raiders_left), a
    jp find_lowest

; One frame of the banner: every other frame a place of the formation is filled. In the last one the banner goes and
; chance says which way the march begins.
show_banner:
    ld hl, banner
    dec (hl)
    jr z, banner_goes
    ld a, BANNER_FRAMES
    sub (hl)
    rrca
    ret c
    cp RAIDERS
    ret nc
    add a, a
    add a, a
    ld ix, raiders
    add a, ixl
    ld ixl, a
    ld a, (ix + KIND)
    or a
    ret z
    jp draw_raider
banner_goes:
    ld b, BANNER_LINE
    call blank_line
    inc b
    call blank_line
    ld hl, sound_silence
    ld (sound_next), hl
    call random
    rrca
    ld a, MARCH_STEP
    jr c, banner_left
    neg
banner_left:
    ld (march_dx), a
    ret

; Line B is sky. Keeps B.
blank_line:
    ld a, SKY
    ld (ink), a
    ld c, 0
    ld hl, blanks
    jp print

banner_text:
    defb "WAVE ", 0
blanks:
    defb "                                ", 0

; Row of the top at the start, raiders that move in a frame, frames from bomb to bomb, rows a frame that bombs fall; 4 frames
; from diver to diver, rows a frame that it falls; then for each row of the formation, the bottom one first, who is there and of what kind; the name.
wave_table:
    defb 48, 1, 40, 2, 0, 2
    defb %1111111, 1, %1111111, 1, %1111111, 2, %0000000, 3
    defw name_1
    defb 40, 2, 34, 2, 0, 2
    defb %0001000, 1, %0011100, 1, %0111110, 2, %1111111, 3
    defw name_2
    defb 48, 2, 30, 2, 50, 2
    defb %1100011, 1, %1110111, 2, %1110111, 2, %1110111, 4
    defw name_3
    defb 56, 3, 26, 3, 40, 2
    defb %1010101, 1, %0101010, 2, %1010101, 3, %0101010, 4
    defw name_4
    defb 48, 3, 22, 3, 30, 3
    defb %1111111, 1, %1111111, 2, %1111111, 3, %1111111, 4
    defw name_5
    defb 48, 3, 20, 3, 24, 3
    defb %0011100, 4, %1010101, 3, %0111110, 4, %0000000, 4
    defw name_6

name_1:
    defb 12, "THE SCOUTS", 0
name_2:
    defb 12, "THE WEDGE", 0
name_3:
    defb 11, "TWO WINGS", 0
name_4:
    defb 10, "THE CHEQUER", 0
name_5:
    defb 12, "THE WALL", 0
name_6:
    defb 9, "THE MOTHERSHIP", 0
