; SPDX-License-Identifier: GPL-3.0-or-later
; Draws the figures of shape_list: straight onto the painted forest; their columns are painted again next time.

; Column by column, behind the trunks that are nearer.
draw_figures:
    ld a, (shapes)
    or a
    ret z
    ld iy, shape_list
figure_next:
    push af
    ld c, (iy + 0)
    ld b, (iy + 7)
figure_column:
    ld a, c
    cp 32
    call c, draw_figure_column
    ld a, (iy + 5)              ; the next column of the image
    add a, (iy + 2)
    ld (iy + 5), a
    jr nc, figure_same_page
    inc (iy + 6)
figure_same_page:
    inc c
    djnz figure_column
    ld bc, SHAPE_SIZE
    add iy, bc
    pop af
    dec a
    jr nz, figure_next
    ret

; C = column. Keeps BC.
draw_figure_column:
    push bc
    ; E = bits that no nearer trunk covers
    ld a, c
    rlca
    rlca
    rlca
    rlca
    ld l, a
    and 1
    ld h, a
    ld a, l
    and $F0
    ld l, a
    ld a, (now)
    add a, h
    ld h, a
    ld e, 0
    inc l
    inc l
    push hl
    ld a, l
    add a, LIST_LAST - 2
    ld l, a
    ld b, (hl)
    pop hl
    srl b
    jr z, column_free
column_nearer:
    ld a, (iy + 3)
    cp (hl)
    jr nc, column_free          ; it stands further back
    inc l
    ld e, (hl)
    inc l
    djnz column_nearer
column_free:
    ld a, e
    cpl
    ld e, a
    or a
    jp z, column_done

    ld a, (iy + 1)
    add a, (iy + 2)
    ld hl, DIRTY_END
    ld l, c
    cp (hl)
    jr c, column_dirty
    ld (hl), a
column_dirty:
    inc h
    ld a, (iy + 1)
    cp (hl)
    jr nc, column_begun
    ld (hl), a
column_begun:

    ; the pixels, line of cells by line of cells
    ld b, (iy + 2)
    ld a, (iy + 1)
    ld h, ROW_LOW / 256
    ld l, a
    ld a, (hl)
    set 7, l
    ld h, (hl)
    add a, c
    ld l, a
    push bc
    ld c, e
    ld e, (iy + 5)
    ld d, (iy + 6)
figure_row:
    ld a, (de)                  ; nothing shows through from behind
    xor (hl)
    and c
    xor (hl)
    ld (hl), a
    inc de
    inc h
    ld a, h
    and 7
    jr z, figure_line
    djnz figure_row
    jr figure_rows_done
figure_line:
    call row_wrap
    djnz figure_row
figure_rows_done:
    ld e, c
    pop bc

    ; the colour, where no trunk is in front
    inc e
    jr nz, column_done
    ld a, (iy + 1)
    rrca
    rrca
    rrca
    and 31
    ld e, a                     ; first line
    ld a, (iy + 1)
    add a, (iy + 2)
    dec a
    rrca
    rrca
    rrca
    and 31
    sub e
    inc a
    ld b, a
    ld a, e
    add a, VIEW_LINE
    ld l, a
    ld h, 0
    add hl, hl
    add hl, hl
    add hl, hl
    add hl, hl
    add hl, hl
    ld a, l
    add a, c
    ld l, a
    ld a, h
    add a, ATTRIBUTES / 256
    ld h, a
    ld a, e
    add a, $FF & ATTRS + 48
    ld e, a
    ld d, ATTRS / 256
figure_colour:
    ld a, (de)
    and $78
    or (iy + 4)
    ld (hl), a
    inc e
    push de
    ld de, 32
    add hl, de
    pop de
    djnz figure_colour
column_done:
    pop bc
    ret
