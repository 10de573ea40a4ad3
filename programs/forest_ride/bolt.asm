; SPDX-License-Identifier: GPL-3.0-or-later
; The player's bolt: straight ahead, one at a time.

move_bolt:
    ld hl, reload
    ld a, (hl)
    or a
    jr z, bolt_ready
    dec (hl)
bolt_ready:
    ld a, (bolt_z)
    or a
    jr nz, bolt_fly
    ld a, (hl)
    or a
    ret nz
    ld a, (input)
    bit INPUT_FIRE, a
    ret z
    ld (hl), RELOAD
    ld a, (player_x + 1)
    ld (bolt_x), a
    ld a, 2
    ld (bolt_z), a
    ld hl, (sound_next)
    ld a, (hl)
    or a
    ret nz
    ld hl, sound_fire
    ld (sound_next), hl
    ret

bolt_fly:
    ld c, a                     ; where it was
    add a, BOLT_SPEED
    ld (bolt_z), a
    cp BOLT_LAST
    jr nc, bolt_gone
    call bolt_rider
    ld a, (bolt_z)
    or a
    ret z
    ; falls through

; Gone if a tree stands in its way from C on.
bolt_tree:
    ld a, (tree_count)
    or a
    ret z
    ld b, a
    ld a, (ride + 1)
    ld e, a
    ld hl, (tree_first)
    ld h, trees / 256
bolt_look:
    inc l
    ld a, (hl)
    dec l
    sub e
    cp c
    jr c, bolt_next
    ld d, a
    ld a, (bolt_z)
    cp d
    ret c
    ld a, (bolt_x)
    sub (hl)
    add a, BOLT_TREE
    cp BOLT_TREE * 2 + 1
    jr c, bolt_thud
bolt_next:
    ld a, l
    call tree_after
    ld l, a
    djnz bolt_look
    ret
bolt_thud:
    ld hl, sound_thud
    ld (sound_next), hl
bolt_gone:
    xor a
    ld (bolt_z), a
    ret

; Hits the riders that it has come up with. Keeps C.
bolt_rider:
    ld ix, riders
    ld b, SLOTS
bolt_slot:
    ld a, (ix + STATE)
    and 1                       ; riding, or leaving
    jr z, bolt_slot_next
    ld a, (ix + RIDER_Z)
    inc a
    cp c
    jr c, bolt_slot_next        ; behind it already
    ld d, a
    ld a, (bolt_z)
    inc a
    cp d
    jr c, bolt_slot_next        ; still ahead of it
    ld a, (bolt_x)
    sub (ix + RIDER_X)
    add a, RIDER_HIT
    cp RIDER_HIT * 2 + 1
    jp c, rider_shot
bolt_slot_next:
    ld de, SLOT_SIZE
    add ix, de
    djnz bolt_slot
    ret
