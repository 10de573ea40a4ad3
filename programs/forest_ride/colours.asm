; SPDX-License-Identifier: GPL-3.0-or-later
; A column has one ink, that of its nearest trunk, down to the line in which that stands: no colours clash.

; (HL) = colours and lines of column C, (DE) = what they were. Keeps C.
paint_colours:
    ld b, (hl)
    ld a, (de)
    ld e, a
    xor b
    ld d, a
    ; L, E = lines now and then; D = the lesser of them if the trunk has the same colours, else 0; E = the greater one
    ld a, b
    and 15
    ld l, a
    ld a, e
    and 15
    ld e, a
    cp l
    jr nc, colours_more
    ld e, l
    ld l, a
colours_more:
    ld a, d
    and $F0
    ld a, 0
    jr nz, colours_from
    ld a, l

; Colours the cells of column C from line A on, before line E: B = colours and lines.
colours_from:
    push bc
    ld d, a
    ld a, e
    ld (colours_end + 1), a
    ; HL = the first cell
    ld l, d
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
    adc a, ATTRIBUTES / 256
    ld h, a
    ld a, l
    add a, VIEW_LINE * 32
    ld l, a
    jr nc, colours_here
    inc h
colours_here:
    ld a, b
    and $F0
    or d
    ld e, a                     ; the colours of this line
    ld a, b
    and 15
    sub d                       ; lines with the trunk
    ld d, ATTRS / 256
    ld bc, 32
    call nz, colours_some
    ld a, e
    and 15
    ld b, a
    or $FF & ATTRS + 48
    ld e, a
colours_end:
    ld a, 0
    sub b
    ld b, 0
    call nz, colours_some
    pop bc
    ret

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
