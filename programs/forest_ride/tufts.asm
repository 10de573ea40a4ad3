; SPDX-License-Identifier: GPL-3.0-or-later
; Tufts of grass that fly past, so that speed is seen where no tree is near. Their bits are turned over in the picture,
; and turned back before it is painted again.

; Works out where each one is to appear.
place_tufts:
    ld de, TUFT_LIST
    xor a
    ld (tufts_ready), a
    ld hl, tufts
    ld b, TUFTS
place_tuft:
    push bc
    ld c, (hl)
    inc l
    ld a, (ride + 1)
    ld b, a
    ld a, (hl)
    sub b
    jp p, tuft_ahead
    ; passed: it begins anew, far off
    ld a, b
    add a, 110
    ld (hl), a
    push hl
    call random
    pop hl
    dec l
    ld (hl), a
    inc l
    jr tuft_next
tuft_ahead:
    push hl
    push de
    ld b, c
    ld c, a
    ld a, b
    call project
    pop de
    jr c, tuft_hidden
    ld a, h
    or a
    jr nz, tuft_hidden
    ; B = its row
    ld a, l
    ld h, BASE / 256
    ld l, c
    set 7, l
    ld b, (hl)
    ex af, af'
    ld a, b
    cp VIEW_ROWS
    jr nc, tuft_hidden
    ex af, af'
    push bc
    ld c, a
    ; hidden by a nearer trunk?
    rlca
    and 1
    ld h, a
    ld a, c
    and $F8
    add a, a
    ld l, a
    ld a, (now)
    add a, h
    ld h, a
    ld a, l
    or LIST_LAST
    ld l, a
    ld a, (hl)
    or a
    jr z, tuft_seen
    ld a, l
    sub LIST_LAST - 2
    ld l, a
    ld a, b
    cp (hl)
    jr nc, tuft_seen
    pop bc
    jr tuft_hidden
tuft_seen:
    ; its address
    ld h, ROW_LOW / 256
    ld l, b
    ld a, c
    rrca
    rrca
    rrca
    and 31
    add a, (hl)
    ld (de), a
    inc e
    set 7, l
    ld a, (hl)
    ld (de), a
    inc e
    pop bc
    ld a, c
    ld hl, tuft_near
    cp 20
    jr c, tuft_size
    ld hl, tuft_middle
    cp 60
    jr c, tuft_size
    ld hl, tuft_far
tuft_size:
    ld a, (hl)
    ld (de), a
    inc e
    ld hl, tufts_ready
    inc (hl)
tuft_hidden:
    pop hl
tuft_next:
    inc l
    pop bc
    dec b
    jp nz, place_tuft
    ret

; Turns over the bits of the list; once more, and the picture is as it was.
draw_tufts:
    ld a, (tufts_ready)
    ld (tufts_drawn), a
    ld hl, TUFT_LIST
    ld de, TUFT_SHOWN
    ld bc, TUFTS * 3
    ldir
wipe_tufts:
    ld a, (tufts_drawn)
    or a
    ret z
    ld b, a
    ld hl, TUFT_SHOWN
turn_tuft:
    ld e, (hl)
    inc l
    ld d, (hl)
    inc l
    ld a, (de)
    xor (hl)
    ld (de), a
    inc l
    djnz turn_tuft
    ret

tuft_near:
    defb $6D
tuft_middle:
    defb $38
tuft_far:
    defb $10
