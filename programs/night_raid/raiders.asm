; SPDX-License-Identifier: GPL-3.0-or-later
; Raiders on the march fill cells of their own: two lines, and two columns or three. So they are simply written, in the
; colour of their kind, and what they leave is made sky again.

; DE = the image of kind B at pixel column A. Keeps BC.
image_at:
    push bc
    and 6
    ld e, a                     ; 2 x shift
    dec b
    ld a, b
    add a, a
    add a, a
    add a, a
    add a, e
    ld e, a
    ld d, 0
    ld hl, image_table
    add hl, de
    ld e, (hl)
    inc hl
    ld d, (hl)
    pop bc
    ret

; HL = address of the raider IX on the screen, C = its column.
raider_address:
    ld a, (ix + RAIDER_X)
    rrca
    rrca
    rrca
    and 31
    ld c, a
    ld a, (ix + RAIDER_Y)
    jp row_address

; IX = raider or burst.
draw_raider:
    ld b, (ix + KIND)
    ld a, (ix + RAIDER_X)
    call image_at
    call raider_address
    ld a, (ix + RAIDER_X)
    and 7
    jr z, draw_narrow
    push hl
    ld b, 8
    call draw_wide_rows
    call row_wrap
    ld b, RAIDER_ROWS - 8
    call draw_wide_rows
    pop hl
    call colours_for
    jr colour_wide

draw_narrow:
    push hl
    ld b, 8
    call draw_narrow_rows
    call row_wrap
    ld b, RAIDER_ROWS - 8
    call draw_narrow_rows
    pop hl
    call colours_for
    jr colour_narrow

; B rows of three bytes, within a line of cells: DE = image, HL = screen.
draw_wide_rows:
    ld a, (de)
    ld (hl), a
    inc de
    inc l
    ld a, (de)
    ld (hl), a
    inc de
    inc l
    ld a, (de)
    ld (hl), a
    inc de
    dec l
    dec l
    inc h
    djnz draw_wide_rows
    ret

; The third byte of an image that is not shifted is blank, and its cell may be the neighbour's.
draw_narrow_rows:
    ld a, (de)
    ld (hl), a
    inc de
    inc l
    ld a, (de)
    ld (hl), a
    inc de
    inc de
    dec l
    inc h
    djnz draw_narrow_rows
    ret

; HL = the colour of the cell whose top row is at HL on the screen.
colours_of:
    ld a, h
    rrca
    rrca
    rrca
    and 3
    or ATTRIBUTES / 256
    ld h, a
    ret

; The same, and A = the colour of the raider IX.
colours_for:
    push hl
    ld c, (ix + KIND)
    ld b, 0
    ld hl, kind_colours
    add hl, bc
    ld c, (hl)
    pop hl
    call colours_of
    ld a, c
    ret

; Two lines of three cells from HL on get colour A.
colour_wide:
    ld de, 30
    ld (hl), a
    inc l
    ld (hl), a
    inc l
    ld (hl), a
    add hl, de
    ld (hl), a
    inc l
    ld (hl), a
    inc l
    ld (hl), a
    ret

; Two lines of two cells.
colour_narrow:
    ld de, 31
    ld (hl), a
    inc l
    ld (hl), a
    add hl, de
    ld (hl), a
    inc l
    ld (hl), a
    ret

; Both lines of the raider IX are sky.
wipe_raider:
    ld b, 2
; B lines of it, from the top. Keeps IX.
wipe_lines:
    call raider_address
    ld d, 3
    ld a, (ix + RAIDER_X)
    and 7
    jr nz, wipe_line
    dec d
wipe_line:
    push hl
    call colours_of
    ld c, d
wipe_colour:
    ld (hl), SKY
    inc l
    dec c
    jr nz, wipe_colour
    pop hl
    ld c, 8
wipe_row:
    push hl
    ld e, d
wipe_byte:
    ld (hl), 0
    inc l
    dec e
    jr nz, wipe_byte
    pop hl
    inc h
    dec c
    jr nz, wipe_row
    call row_wrap
    djnz wipe_line
    ret

; Column A (of cells) of the raider IX is sky.
wipe_column:
    and 31
    ld c, a
    ld a, (ix + RAIDER_Y)
    call row_address
    push hl
    xor a
    ld b, 8
wipe_upper:
    ld (hl), a
    inc h
    djnz wipe_upper
    call row_wrap
    ld b, RAIDER_ROWS - 8
    xor a
wipe_lower:
    ld (hl), a
    inc h
    djnz wipe_lower
    pop hl
    call colours_of
    ld (hl), SKY
    ld de, 32
    add hl, de
    ld (hl), SKY
    ret

kind_colours:
    defb 0, $44, $45, $43, $46, $47
