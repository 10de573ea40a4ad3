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
    ; is another part of it in colour now, or in another one?
    ld a, (hl)
    or a
    jr z, paint_recolour
    ld a, (de)
    or a
    jr z, paint_recolour
    dec e
    dec l
    ld a, (de)
    cp (hl)
    jr nz, paint_recolour
    ld a, l
    and $F2
    ld l, a                     ; its first row
    ld b, (hl)
    ld h, d
    ld a, (hl)
    add a, 7
    and $F8
    ld l, a
    ld a, b
    add a, 7
    and $F8
    cp l
    jr z, paint_rows
    jr paint_recolour
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
paint_recolour:
    pop de
    pop hl
    push hl
    push de
    push bc
    call paint_colours
    pop bc
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

; HL = the end of a list, C = column: its cells take the colours of the nearest trunk, down to where that stands.
paint_colours:
    ld a, (hl)
    or a
    ld de, ATTRS + 48
    ld b, 0
    jr z, colours_lines
    dec l
    ld e, (hl)
    ld a, l
    sub LIST_COLOURS - 2
    ld l, a
    ld a, (hl)
    add a, 7
    rrca
    rrca
    rrca
    and 31
    ld b, a                     ; lines with a trunk
colours_lines:
    ld h, ATTRIBUTES / 256
    ld a, c
    add a, VIEW_LINE * 32
    ld l, a
    ld a, b
    ld bc, 32
    or a
    call nz, colours_some
    ld a, e
    and 15
    ld c, a
    or $FF & ATTRS + 48
    ld e, a
    ld a, VIEW_LINES
    sub c
    ret z
    ld c, 32

; A lines of the colours at DE, from HL down. DE and HL are left behind the last one, BC is 32.
colours_some:
    push hl
    sub VIEW_LINES
    neg
    add a, a
    add a, a
    ld hl, colours_code
    add a, l
    ld l, a
    jr nc, colours_jump
    inc h
colours_jump:
    ex (sp), hl
    ret
colours_code:
    ld a, (de)
    ld (hl), a
    inc e
    add hl, bc
    ld a, (de)
    ld (hl), a
    inc e
    add hl, bc
    ld a, (de)
    ld (hl), a
    inc e
    add hl, bc
    ld a, (de)
    ld (hl), a
    inc e
    add hl, bc
    ld a, (de)
    ld (hl), a
    inc e
    add hl, bc
    ld a, (de)
    ld (hl), a
    inc e
    add hl, bc
    ld a, (de)
    ld (hl), a
    inc e
    add hl, bc
    ld a, (de)
    ld (hl), a
    inc e
    add hl, bc
    ld a, (de)
    ld (hl), a
    inc e
    add hl, bc
    ld a, (de)
    ld (hl), a
    inc e
    add hl, bc
    ld a, (de)
    ld (hl), a
    inc e
    add hl, bc
    ld a, (de)
    ld (hl), a
    inc e
    add hl, bc
    ld a, (de)
    ld (hl), a
    inc e
    add hl, bc
    ld a, (de)
    ld (hl), a
    inc e
    add hl, bc
    ld a, (de)
    ld (hl), a
    inc e
    add hl, bc
    ret

; HL = the end of the list of now, DE = of that of last time, C = column. Both are followed from the top down, and what
; differs is written.
paint_column:
    ld a, c
    ld (fill_column + 1), a
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
    ; HL, DE = the pairs that hold from row B on
    inc l
    inc e
    ld a, (hl)
    ld (fill_bits + 1), a
    ld c, a
    ld a, (de)
    dec l
    dec e
    cp c
    jr nz, column_differs
    ; the same, but a figure may have been drawn over it
    call column_next
    ld c, a
painted_until:
    cp 0
    jr c, column_below
    ld a, (painted_until + 1)
column_below:
    push bc
    push hl
    push de
    ld c, a
painted_from:
    ld a, 0
    cp b
    jr c, column_within
    ld b, a
column_within:
    call fill_rows
    jr column_filled
column_differs:
    call column_next
    ld c, a
    push bc
    push hl
    push de
    call fill_rows
column_filled:
    pop de
    pop hl
    pop bc
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

; A = the row at which the first of the pairs HL and DE ends.
column_next:
    ld a, (de)
    cp (hl)
    ret c
    ld a, (hl)
    ret

; Writes (fill_bits + 1) into the column (fill_column + 1), from row B on, before row C.
fill_rows:
    ld a, b
    cp c
    ret nc
    ; a RET in the painter, before row C
    ld h, STOP_LOW / 256
    ld l, c
    ld e, (hl)
    inc h
    ld d, (hl)
    ld a, (de)
    push af
    push de
    ld a, $C9
    ld (de), a
    ld h, ENTRY_LOW / 256
    ld l, b
    ld e, (hl)
    inc h
    ld d, (hl)
    ld (fill_call + 1), de
    ld h, ROW_LOW / 256
    ld a, (hl)
    set 7, l
    ld h, (hl)
fill_column:
    add a, 0
    ld l, a
    ld c, 32
fill_bits:
    ld d, 0
    ld e, d
fill_call:
    call 0
    pop de
    pop af
    ld (de), a
    ret
