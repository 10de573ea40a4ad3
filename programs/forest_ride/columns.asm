; SPDX-License-Identifier: GPL-3.0-or-later
; What each column of cells is to show. A trunk reaches from the top of the view down to the row in which it stands, and
; nearer ones reach further down: from the bottom up, a column is a list of rows and of the bits that are set above them.
;   0 always 255 and 0: above the last pair the column is at its end
;   2 pairs, the nearest first: row, bits from there upwards
;   14 which colours the nearest trunk has (low byte of the table) + lines of cells down to where it stands
;   15 where the last pair is: 0 none, 2, 4, ...
; Lists of the last turn are kept beside (COLUMNS and COLUMNS + 512), so that only what has changed is painted.





build_columns:
    ld a, (now)
    xor 2
    ld (now), a
    ld h, a
    ld l, LIST_LAST
    call clear_lists
    inc h
    call clear_lists

    ld a, (tree_count)
    or a
    ret z
    ld b, a
    ld hl, (tree_first)
    ld h, trees / 256
build_tree:
    push bc
    push hl
    ld b, (hl)
    inc l
    ld a, (ride + 1)
    ld c, a
    ld a, (hl)
    sub c
    ld c, a
    ld a, b
    call project
    call nc, add_trunk
    pop hl
    ld a, l
    call tree_after
    ld l, a
    pop bc
    djnz build_tree
    ret

clear_lists:
    ld b, 16
    ld de, 16
    ld a, l
clear_list:
    ld (hl), d
    dec l
    ld (hl), $FF & ATTRS + 48
    add a, e
    ld l, a
    djnz clear_list
    ret

; HL = column of its middle, C = distance.
add_trunk:
    ; D = first column, E = last one, on the screen
    ld d, WIDTH / 256
    ld e, c
    ld a, (de)
    ld b, a
    srl a
    ld e, a
    ld d, 0
    or a
    sbc hl, de                  ; left edge
    ld e, b
    dec e
    ld a, h
    or a
    jr z, trunk_left_seen
    ret p                       ; right of the screen
    add hl, de
    ld a, h
    or a
    ret nz                      ; left of it
    ld d, 0
    ld e, l
    jr trunk_bounds
trunk_left_seen:
    ld a, l
    add hl, de
    ld d, a
    ld e, l
    dec h
    jr nz, trunk_bounds
    ld e, 255
trunk_bounds:
    ; B = row, C = colours: which ones, and lines
    ld l, c
    ld h, BASE / 256
    set 7, l
    ld b, (hl)
    ld a, c
    ld c, $FF & ATTRS
    cp NEAR_INK
    jr c, trunk_ink
    ld c, $FF & ATTRS + 16
    cp MIDDLE_INK
    jr c, trunk_ink
    ld c, $FF & ATTRS + 32
trunk_ink:
    ld a, b
    add a, 7
    rrca
    rrca
    rrca
    and 15
    or c
    ld c, a
    ; HL = list of the first column, A = bits right of the left edge, D = columns to the last one, E = bits left of the right edge
    ld a, d
    and 7
    or $FF & LEFT_BITS
    ld l, a
    ld h, LEFT_BITS / 256
    ld a, (hl)
    ex af, af'
    ld a, e
    and 7
    or $FF & RIGHT_BITS
    ld l, a
    ld l, (hl)
    ld a, d
    and $F8
    ld h, a
    ld a, e
    and $F8
    sub h
    rrca
    rrca
    rrca
    ld d, a
    ld e, l
    ld a, h
    add a, a
    ld l, a
    ld a, (now)
    adc a, 0
    ld h, a
    ex af, af'
    inc d
    dec d
    jr z, trunk_single
    call add_bits
trunk_more:
    call next_list
    dec d
    ld a, e
    jr z, add_bits
    ld a, 255
    call add_bits
    jr trunk_more
trunk_single:
    and e
    ; falls through

; Lets the list HL show a trunk behind those that it has: A = its bits, B = its row, C = its colours. Keeps all but A.
add_bits:
    push hl
    push de
    ld e, a
    ld a, l
    or LIST_LAST
    ld l, a
    ld a, (hl)
    or a
    jr nz, add_behind
    ld (hl), 2
    dec l
    ld (hl), c
    jr add_pair
add_behind:
    cp LIST_FULL
    jr nc, add_done
    ld d, a
    sub LIST_LAST - 1
    add a, l
    ld l, a                     ; the bits of the last pair
    ld a, (hl)
    or e
    cp (hl)
    jr z, add_done              ; hidden
    ld e, a
    dec l
    ld a, (hl)
    inc l
    sub b
    cp ALIKE
    jr c, add_alike
    inc l
    ld (hl), b
    inc l
    ld (hl), e
    pop de
    pop hl
    ld a, l
    or LIST_LAST
    ld l, a
    inc (hl)
    inc (hl)
    sub LIST_LAST
    ld l, a
    ret
add_alike:
    ld (hl), e                  ; it stands as good as in the same row
    jr add_done
add_pair:
    ld a, l
    sub LIST_COLOURS - 2
    ld l, a
    ld (hl), b
    inc l
    ld (hl), e
add_done:
    pop de
    pop hl
    ret

; HL = list of the next column. Keeps all else but A.
next_list:
    ld a, l
    add a, 16
    ld l, a
    ret nc
    inc h
    ret
