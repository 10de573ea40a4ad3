; SPDX-License-Identifier: GPL-3.0-or-later
; The riders ahead. One comes into view far off, falls back to the distance that it keeps, weaves between the trees, and
; rides off when its time is up; another one comes, until as many are shot as the sector asks for.

move_riders:
    ld ix, riders
    ld b, SLOTS
rider_slot:
    push bc
    ld a, (ix + STATE)
    cp RIDER_SHOT
    jr z, rider_burst
    or a
    call nz, move_rider
    jr rider_next
rider_burst:
    call burst_rider
rider_next:
    ld de, SLOT_SIZE
    add ix, de
    pop bc
    djnz rider_slot
    ; falls through

; Lets a rider come if one is due.
bring_rider:
    ld hl, rider_wait
    ld a, (hl)
    or a
    jr z, bring_due
    dec (hl)
    ret
bring_due:
    ; D = riders in view, IX = a free slot
    ld hl, riders
    ld d, 0
    ld b, SLOTS
bring_look:
    ld a, (hl)
    or a
    jr z, bring_free
    cp RIDER_SHOT
    jr z, bring_seen            ; counted already
    inc d
    jr bring_seen
bring_free:
    push hl
    pop ix
bring_seen:
    ld a, l
    add a, SLOT_SIZE
    ld l, a
    djnz bring_look
    ld a, (company)
    ld b, a
    ld a, d
    cp b
    ret nc
    ld hl, riders_left
    cp (hl)
    ret nc                      ; all that are left are in view
    ld a, (ix + STATE)
    or a
    ret nz

    ld (ix + STATE), RIDER_RIDING
    ld (ix + RIDER_Z), RIDER_FIRST
    ld (ix + RIDER_X_FRAC), 0
    call random
    and 31
    sub 16
    ld hl, player_x + 1
    add a, (hl)
    ld (ix + RIDER_X), a
    call random
    and 15
    add a, 20
    ld (ix + RIDER_AIM), a
    ld (ix + RIDER_VX), 0
    ld (ix + RIDER_TIME), 250
    ld (ix + RIDER_TURN), 1
    ld a, 40
    ld (rider_wait), a
    ret

move_rider:
    ; ahead: to the distance that it keeps, or off
    ld a, (ix + STATE)
    cp RIDER_LEAVING
    jr z, rider_off
    ld a, (ix + RIDER_Z)
    cp (ix + RIDER_AIM)
    jr z, rider_time
    dec (ix + RIDER_Z)
rider_time:
    dec (ix + RIDER_TIME)
    jr nz, rider_aside
    ld (ix + STATE), RIDER_LEAVING
rider_off:
    inc (ix + RIDER_Z)
    ld a, (ix + RIDER_Z)
    cp RIDER_FIRST
    jr c, rider_aside
    ld (ix + STATE), RIDER_NONE
    ret

rider_aside:
    dec (ix + RIDER_TURN)
    call z, rider_think
    call rider_dodge
    ld a, (ix + RIDER_VX)
    call sixteenths
    ld e, (ix + RIDER_X_FRAC)
    ld d, (ix + RIDER_X)
    add hl, de
    ld (ix + RIDER_X_FRAC), l
    ld (ix + RIDER_X), h
    ret

; A new course: any, or back to the player if it is far aside.
rider_think:
    call random
    ld c, a
    and 15
    add a, 12
    ld (ix + RIDER_TURN), a
    ld a, (player_x + 1)
    sub (ix + RIDER_X)
    ld d, a
    add a, 24
    cp 49
    ld a, c
    jr c, rider_course
    rlca
    rlca
    and 7
    add a, 6
    bit 7, d
    jr z, rider_course_set
    neg
    jr rider_course_set
rider_course:
    rrca
    rrca
    rrca
    rrca
    and 15
    sub 8
    ld b, a
    add a, b                    ; -16 to 14
rider_course_set:
    ld (ix + RIDER_VX), a
    ret

; Away from the first tree that is in the way.
rider_dodge:
    ld a, (tree_count)
    or a
    ret z
    ld b, a
    ld a, (ride + 1)
    add a, (ix + RIDER_Z)
    ld e, a                     ; where it is, as trees have it
    ld hl, (tree_first)
    ld h, trees / 256
dodge_look:
    inc l
    ld a, (hl)
    dec l
    sub e
    jp m, dodge_next            ; behind it
    cp RIDER_LOOK
    ret nc
    ld a, (hl)
    sub (ix + RIDER_X)
    ld c, a
    add a, RIDER_DODGE
    cp RIDER_DODGE * 2 + 1
    jr c, dodge_this
dodge_next:
    ld a, l
    call tree_after
    ld l, a
    djnz dodge_look
    ret
dodge_this:
    bit 7, c
    ld a, 256 - 18
    jr z, dodge_set             ; the tree is to the right
    ld a, 18
dodge_set:
    ld (ix + RIDER_VX), a
    ret

; What is left of it stays behind, like a tree.
burst_rider:
    ld a, (speed)
    rlca
    rlca
    and 3
    inc a
    ld b, a
    ld a, (ix + RIDER_Z)
    sub b
    jr c, burst_over
    ld (ix + RIDER_Z), a
    dec (ix + RIDER_TIME)
    ret nz
burst_over:
    ld (ix + STATE), RIDER_NONE
    ret
