; SPDX-License-Identifier: GPL-3.0-or-later

; All acorns fall for one frame; the one that reaches the basket is judged. Notes which one lands next.
fall:
    ld hl, lowest_kind
    xor a
    ld (hl), a
    inc hl
    ld (hl), a
    inc hl
    ld (hl), a
    ld ix, acorns
    ld b, SLOTS
fall_slot:
    push bc
    ld a, (ix + KIND)
    or a
    call nz, fall_one
    ld bc, SLOT_SIZE
    add ix, bc
    pop bc
    djnz fall_slot
    ret

; IX = acorn
fall_one:
    ld l, (ix + Y_FRAC)
    ld h, (ix + Y)
    ld de, (speed)
    add hl, de
    ld (ix + Y_FRAC), l
    ld (ix + Y), h
    ld a, (ix + PHASE)
    or a
    ld a, h
    jr nz, fall_passed
    cp CATCH_Y
    jr nc, judge

    ; still in the air: the lowest so far?
    ld hl, lowest_y
    cp (hl)
    ret c
    ld (hl), a
    dec hl
    ld a, (ix + PLACE_X)
    ld (hl), a
    dec hl
    ld a, (ix + KIND)
    ld (hl), a
    ret

fall_passed:
    cp GROUND_Y
    ret c
    ld (ix + PHASE), PHASE_GONE
    ret

; The acorn is at the rim. It is in the basket if at least half of it is above the opening:
; acorn x - basket x from -8 to 24.
judge:
    ld (ix + PHASE), PHASE_PASSED
    ld a, (basket_x)
    ld c, a
    ld a, (ix + PLACE_X)
    sub c
    add a, 8
    cp 33
    ld a, (ix + KIND)
    jr c, judge_inside
    cp KIND_GOOD
    jp z, missed
    ret
judge_inside:
    ld (ix + PHASE), PHASE_GONE
    cp KIND_GOOD
    jp z, caught
    jp caught_rotten
