; SPDX-License-Identifier: GPL-3.0-or-later
; Guardians go to and fro on a straight path, by the clock of the room: where they are depends on nothing else.

move_guardians:
    ld ix, guardians
    ld b, SLOTS
move_guardian:
    ld a, (ix + KIND)
    inc a
    call nz, move_one
    ld de, SLOT_SIZE
    add ix, de
    djnz move_guardian
    ret

move_one:
    ld a, (room_frames)
    and (ix + GUARD_PACE)
    and $7F
    ret nz
    ; HL = what changes: x or y
    push ix
    pop hl
    inc hl
    bit 3, (ix + KIND)
    jr z, move_axis
    inc hl
move_axis:
    ld a, (ix + GUARD_STEP)
    dec a
    ld a, (hl)
    jr nz, move_back
    cp (ix + GUARD_HIGH)
    jr nz, move_step
    bit 7, (ix + GUARD_PACE)
    jr nz, move_again
    ld (ix + GUARD_STEP), 255
    jr move_step
move_back:
    cp (ix + GUARD_LOW)
    jr nz, move_step
    ld (ix + GUARD_STEP), 1
move_step:
    add a, (ix + GUARD_STEP)
    ld (hl), a
    ret

; A drop has reached the ground and the next one falls. Nothing else wipes it off the screen.
move_again:
    ld a, (ix + GUARD_LOW)
    push af
    push hl
    push bc
    call erase_upright
    pop bc
    pop hl
    pop af
    ld (hl), a
    ret
