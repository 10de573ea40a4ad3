; SPDX-License-Identifier: GPL-3.0-or-later
; Which acorn comes next, and where. Every good acorn can be caught by somebody who never catches a rotten one:
;  - all acorns of a level fall equally fast, so they land in the order and at the distance in time of their start;
;  - a good one is at most `reach` places from the last good one, which the basket covers within `spacing` frames;
;  - a rotten one keeps at least ROTTEN_DISTANCE places from the last good one, where the basket may wait until the
;    rotten one is down; never do two rotten ones follow each other, and the next good one leaves the full time again.

spawn:
    ld hl, spawn_timer
    dec (hl)
    ret nz
    ld a, (spacing)
    ld (hl), a
    ld a, (good_left)
    or a
    ret z

    ld ix, acorns
    ld de, SLOT_SIZE
    ld b, SLOTS
spawn_seek:
    ld a, (ix + KIND)
    or a
    jr z, spawn_here
    add ix, de
    djnz spawn_seek
    ld (hl), 1                  ; no slot is free: try again in the next frame
    ret

spawn_here:
    ld a, (last_kind)
    cp KIND_ROTTEN
    jr z, spawn_good
    call random
    ld hl, rotten_odds
    cp (hl)
    jr c, spawn_rotten

spawn_good:
    ld hl, good_left
    dec (hl)
    ; D = first place within reach, E = last one
    ld a, (reach)
    ld c, a
    ld a, (last_place)
    ld b, a
    sub c
    jr nc, spawn_first
    xor a
spawn_first:
    ld d, a
    ld a, b
    add a, c
    cp PLACES
    jr c, spawn_last
    ld a, PLACES - 1
spawn_last:
    ld e, a
    sub d
    inc a
    call random_below
    add a, d
spawn_good_try:
    call is_taken
    jr nz, spawn_good_place
    inc a
    cp e
    jr c, spawn_good_try
    jr z, spawn_good_try
    ld a, d                     ; past the end: go round
    jr spawn_good_try
spawn_good_place:
    ld (last_place), a
    ld c, KIND_GOOD
    jr spawn_at

spawn_rotten:
    ld a, PLACES
    call random_below
spawn_rotten_try:
    ld c, a
    ld hl, last_place
    sub (hl)
    jr nc, spawn_rotten_right
    neg
spawn_rotten_right:
    cp ROTTEN_DISTANCE
    ld a, c
    jr c, spawn_rotten_next
    call is_taken
    jr nz, spawn_rotten_place
spawn_rotten_next:
    inc a
    cp PLACES
    jr c, spawn_rotten_try
    xor a
    jr spawn_rotten_try
spawn_rotten_place:
    ld c, KIND_ROTTEN

; IX = slot, A = place, C = kind
spawn_at:
    ld (ix + KIND), c
    add a, a
    add a, a
    add a, a
    add a, a
    add a, BASKET_MIN
    ld (ix + PLACE_X), a
    ld (ix + Y_FRAC), 0
    ld (ix + Y), SPAWN_Y
    ld (ix + DRAWN_Y), SPAWN_Y
    ld (ix + PHASE), PHASE_FALLING
    ld a, c
    ld (last_kind), a
    ret

; Z if an acorn is in the air at place A. Keeps A and DE. Two acorns never share a place, so they never overlap. With at
; most SLOTS - 1 of them in the air and at least SLOTS places within reach, a search always ends.
is_taken:
    ld c, a
    push de
    add a, a
    add a, a
    add a, a
    add a, a
    add a, BASKET_MIN
    ld hl, acorns
    ld de, SLOT_SIZE - 1
    ld b, SLOTS
is_taken_look:
    inc (hl)
    dec (hl)
    inc hl                      ; does not touch the flags
    jr z, is_taken_next
    cp (hl)
    jr z, is_taken_done
is_taken_next:
    add hl, de
    djnz is_taken_look
    or 1                        ; NZ
is_taken_done:
    ld a, c
    pop de
    ret
