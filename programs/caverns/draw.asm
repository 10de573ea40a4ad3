; SPDX-License-Identifier: GPL-3.0-or-later
; The player. BUFFER holds the cave without figures: the player is wiped and added at its new place, long before the beam
; comes. Guardians are drawn after it (sprites.asm) and would cut off what shares their bytes: then it is added once more.

#include "row_address.asm"

; C = character column of pixel column A.
column_of:
    rrca
    rrca
    rrca
    and 31
    ld c, a
    ret

; Puts back what is behind the player: 16 rows of 3 bytes.
erase_player:
    ld a, (drawn_x)
    call column_of
    ld a, (drawn_y)
    call row_address
    ld b, 16
erase_row:
    ld d, h
    ld e, l
    set 7, d
    ld a, (de)
    ld (hl), a
    inc e
    inc l
    ld a, (de)
    ld (hl), a
    inc e
    inc l
    ld a, (de)
    ld (hl), a
    dec l
    dec l
    inc h
    ld a, h
    and 7
    call z, row_wrap
    djnz erase_row
    ret

#include "row_wrap.asm"

; Adds the player to what is on the screen.
draw_player:
    ld a, (player_x)
    ld (drawn_x), a
    ld d, a
    call column_of
    ld a, (facing)
    ld e, a
    ld b, KIND_PIP
    call image_across
    ld a, (player_y)
    ld (drawn_y), a
    call row_address
    ld b, 16
player_row:
    ld a, (de)
    or (hl)
    ld (hl), a
    inc de
    inc l
    ld a, (de)
    or (hl)
    ld (hl), a
    inc de
    inc l
    ld a, (de)
    or (hl)
    ld (hl), a
    inc de
    dec l
    dec l
    inc h
    ld a, h
    and 7
    call z, row_wrap
    djnz player_row
    ret

; Adds the player again if a guardian's bytes may have been written over it.
mend_player:
    ld ix, guardians
    ld b, SLOTS
mend_look:
    ld a, (ix + KIND)
    inc a
    jr z, mend_next
    ld a, (player_x)
    sub (ix + GUARD_X)
    add a, 24                   ; three bytes either way
    cp 49
    jr nc, mend_next
    ld a, (player_y)
    sub (ix + GUARD_Y)
    add a, 18
    cp 37
    jr c, draw_player
mend_next:
    ld de, SLOT_SIZE
    add ix, de
    djnz mend_look
    ret

; A = frame of the dying, counted down. The player blinks where it is.
draw_death:
    and 3
    ret nz
    ld a, (drawn_x)
    call column_of
    ld a, (drawn_y)
    call row_address
    ld b, 16
death_row:
    ld a, (hl)
    cpl
    ld (hl), a
    inc l
    ld a, (hl)
    cpl
    ld (hl), a
    dec l
    inc h
    ld a, h
    and 7
    call z, row_wrap
    djnz death_row
    ret
