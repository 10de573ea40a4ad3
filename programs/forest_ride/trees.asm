; SPDX-License-Identifier: GPL-3.0-or-later
; The trees: a ring, nearest first. All come nearer at the same pace, so it stays in order by itself.

; Drops the trees that are passed, unless they were in the way, and lets new ones come at the horizon.
move_trees:
    ld a, (tree_count)
    or a
    jr z, trees_grow
    ld hl, (tree_first)
    ld h, trees / 256
    inc l
    ld a, (ride + 1)
    ld c, a
    ld a, (hl)
    sub c
    jp p, trees_grow            ; still ahead
    dec l
    ld a, (hl)
    call units_aside
    cp TREE_HIT
    call c, crashed
    ld a, (tree_first)
    call tree_after
    ld (tree_first), a
    ld hl, tree_count
    dec (hl)
    jr move_trees

trees_grow:
    ld a, (tree_count)
    cp TREES
    ret nc
    ld a, (ride + 1)
    ld c, a
    ld a, (tree_last)
    sub c
    cp TREE_HORIZON
    ret nc
    call random
    ld c, a                     ; bit 7: near the course, else anywhere
    and 3
    ld hl, spacing
    add a, (hl)
    ld hl, tree_last
    add a, (hl)
    ld (hl), a
    ; the place in the ring behind the last
    ld a, (tree_count)
    add a, a
    ld hl, tree_first
    add a, (hl)
    and TREES * 2 - 1
    or $FF & trees
    ld e, a
    ld d, trees / 256
    ld hl, tree_count
    inc (hl)
    call random
    bit 7, c
    jr z, tree_place
    sra a
    ld hl, player_x + 1
    add a, (hl)
tree_place:
    ld (de), a
    inc e
    ld a, (tree_last)
    ld (de), a
    jr trees_grow

; A = low byte of the next tree's address after that of A.
tree_after:
    add a, 2
    and TREES * 2 - 1
    or $FF & trees
    ret

; A = how many units the place A lies aside, either way, cut off. Keeps BC, HL and IX.
units_aside:
    push hl
    ld h, a
    ld l, 0
    ld de, (player_x)
    or a
    sbc hl, de
    ld a, h
    pop hl
    or a
    ret p
    cpl
    ret

; For those who read the memory: the nearest tree that the player could reach, and the first rider.
find_next:
    ld a, 255
    ld (next_z), a
    ld a, (tree_count)
    or a
    jr z, find_rider
    ld b, a
    ld hl, (tree_first)
    ld h, trees / 256
find_tree:
    ld a, (player_x + 1)
    ld c, a
    ld a, (hl)
    sub c
    ld d, a
    add a, 12
    cp 25
    jr c, find_this
    ld a, l
    call tree_after
    ld l, a
    djnz find_tree
    jr find_rider
find_this:
    ld a, d
    ld (next_x), a
    inc l
    ld a, (ride + 1)
    ld c, a
    ld a, (hl)
    sub c
    ld (next_z), a
find_rider:
    ld hl, riders
    ld de, SLOT_SIZE
    ld b, SLOTS
    xor a
    ld (aim_z), a
find_slot:
    ld a, (hl)
    cp RIDER_RIDING
    jr z, find_aim
    add hl, de
    djnz find_slot
    ret
find_aim:
    inc hl
    inc hl
    ld a, (player_x + 1)
    ld c, a
    ld a, (hl)
    sub c
    ld (aim_x), a
    inc hl
    ld a, (hl)
    ld (aim_z), a
    ret
