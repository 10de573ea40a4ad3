; SPDX-License-Identifier: GPL-3.0-or-later
; Paints the columns of the view that have changed. Each byte is written once, with what it is to be: nothing flickers.

paint_columns:
    ld a, (now)
    ld h, a
    ld l, LIST_LAST
    ld c, 0
paint_next:
    ; HL = the end of the list of now, DE = of that of last time, a figure was drawn over
    ; it down to the operand of painted_until
    ld d, h
    ld a, d
    xor 2
    ld d, a
    ld e, l
    ld b, DIRTY_END / 256
    ld a, (bc)
    ld (painted_until + 1), a
    or a
    jr nz, paint_all
    ld a, (de)
    or (hl)
    jr z, paint_step            ; empty, as before
    push hl
    push de
    dec l
    dec e
    ld a, (de)
    cp (hl)
    call nz, paint_colours
    jr paint_rows
paint_all:
    xor a
    ld (bc), a
    inc b
    ld a, (bc)
    ld (painted_from + 1), a
    ld a, 255
    ld (bc), a
    push hl
    push de
    dec l
    ld b, (hl)
    xor a
    ld e, VIEW_LINES
    call colours_from
paint_rows:
    pop de
    pop hl
    push hl
    push bc
    call paint_column
    pop bc
    pop hl
paint_step:
    ld a, l
    add a, 16
    ld l, a
    jr nc, paint_on
    inc h
paint_on:
    inc c
    bit 5, c
    jr z, paint_next
    ret

; HL = the end of the list of now, DE = of that of last time, C = column. Both are followed from the top down, and what
; differs is written.
paint_column:
    ld a, c
    ld (column + 1), a
    ld a, (hl)
    add a, l
    sub LIST_LAST
    ld l, a
    ld a, (de)
    add a, e
    sub LIST_LAST
    ld e, a
    ld b, 0
column_part:
    ; HL, DE = the pairs that hold from row B on; C = the row at which the first of them ends
    inc l
    inc e
    ld a, (hl)
    ld (bits + 1), a
    ld a, (de)
    xor (hl)
    dec l
    dec e
    ld c, a                     ; 0: the same bits
    ld a, (de)
    cp (hl)
    jr c, column_until
    ld a, (hl)
column_until:
    inc c
    dec c
    ld c, a
    jr nz, column_differs
painted_until:
    ld a, 0
    or a
    jr nz, column_painted
column_on:
    ld a, c
    inc a
    ret z
    ld b, c
    ld a, (hl)
    cp c
    jr nz, column_old
    dec l
    dec l
column_old:
    ld a, (de)
    cp c
    jr nz, column_part
    dec e
    dec e
    jr column_part
column_differs:
    push bc
    push hl
    push de
    call fill_rows
column_filled:
    pop de
    pop hl
    pop bc
    jr column_on
column_painted:
    ; the same bits, but a figure was drawn over them
    push bc
    push hl
    push de
    cp c
    jr nc, painted_from
    ld c, a
painted_from:
    ld a, 0
    cp b
    jr c, painted_within
    ld b, a
painted_within:
    ld a, b
    cp c
    call c, fill_rows
    jr column_filled

; Writes (bits + 1) into the column (column + 1), from row B on, before row C. The painter runs upwards to row 0; a part
; further down is written by it, too, if it is long: with a RET that is put before row B.
fill_rows:
    ld a, b
    or a
    jr z, fill_up
    ld a, c
    sub b
    cp FEW_ROWS
    jr c, fill_few
    ld h, UP_LOW / 256
    ld l, b
    ld e, (hl)
    inc h
    ld d, (hl)                  ; where row B - 1 begins
    ld a, (de)
    push af
    push de
    ld a, $C9
    ld (de), a
    call fill_up
    pop de
    pop af
    ld (de), a
    ret
fill_up:
    ld h, UP_LOW / 256
    ld l, c
    ld e, (hl)
    inc h
    ld d, (hl)
    push de                     ; RET goes there
    dec l
    call fill_place
    ld c, 32
    ret

; D = bits, HL = address of row L.
fill_place:
    ld h, ROW_LOW / 256
    ld a, (hl)
    set 7, l
    ld h, (hl)
column:
    add a, 0
    ld l, a
bits:
    ld d, 0
    ret

fill_few:
    ld c, a
    ld l, b
    ld b, c
    call fill_place
few_row:
    ld (hl), d
    inc h
    ld a, h
    and 7
    call z, row_wrap
    djnz few_row
    ret
