; SPDX-License-Identifier: GPL-3.0-or-later
; How the player walks, jumps and falls. All in whole pixels and by table: the same keys always make the same way.

; (input): O left, P right, space jump.
read_keys:
    ld a, $DF
    in a, ($FE)
    cpl
    and 3
    ld b, a
    ld a, $7F
    in a, ($FE)
    cpl
    and 1
    add a, a
    add a, a
    or b
    ld (input), a
    ret

move_player:
    ld a, (jump)
    or a
    jr z, stand
    inc a
    jp z, fall_on
    jp jump_on

; On the ground.
stand:
    call supported
    jr z, step_off
    call wear_floor
    ld a, (input)
    bit INPUT_JUMP, a
    jr nz, jump_off
    call walk
    jp ride_belt

; The ground has ended, or crumbled.
step_off:
    ld a, FALLING
    ld (jump), a
    ld a, (player_y)
    ld (peak_y), a
    jp fall_on

jump_off:
    ld hl, sound_jump
    ld (sound_next), hl
    call wanted_dx
    ld a, c
    ld (jump_dx), a
    call turn
    ld a, 1
    ld (jump), a
    jp jump_on

; C = 1 right, 255 left, 0 neither or both.
wanted_dx:
    ld a, (input)
    and 3
    ld c, 0
    ret z
    cp 3
    ret z
    ld c, 1
    bit INPUT_RIGHT, a
    ret nz
    ld c, 255
    ret

; Faces where C says.
turn:
    ld a, c
    or a
    ret z
    rlca
    and 1
    ld (facing), a
    ret

walk:
    call wanted_dx
    call turn
    ; falls through

; One column to where C says, unless a wall is there.
step:
    ld a, c
    or a
    ret z
    ld hl, player_x
    dec a
    jr z, step_right
    ld a, (hl)
    ld e, BODY_LEFT - 1
    jr step_look
step_right:
    ld a, (hl)
    ld e, BODY_RIGHT
step_look:
    ; only a body that just fills its column of cells enters another one
    ld d, a
    and 7
    cp 8 - BODY_LEFT
    ld a, d
    jr nz, step_free
    add a, e
    ld e, a
    call column_blocked
    ret nz
step_free:
    ld hl, player_x
    ld a, (hl)
    add a, c
    ld (hl), a
    ret

; A conveyor carries whoever stands on it a column a frame: walking with it is twice as fast, against it a standstill.
ride_belt:
    call below_feet
    ld a, (hl)
    jr z, ride_one
    bit BIT_BELT, a
    jr nz, ride_one
    inc l
    ld a, (hl)
ride_one:
    bit BIT_CRUMBLING, a
    ret nz
    bit BIT_BELT, a
    ret z
    ld c, 255
    bit BIT_BELT_RIGHT, a
    jr z, step
    ld c, 1
    jr step

; The next frame of a jump: first up or down, then aside.
jump_on:
    ld hl, jump
    ld a, (hl)
    inc (hl)
    cp JUMP_FRAMES
    jr nz, jump_table
    ld (hl), FALLING            ; the arc ends with this frame
jump_table:
    ld e, a
    ld d, 0
    ld hl, jump_arc - 1
    add hl, de
    ld a, (hl)
    or a
    jr z, jump_aside
    jp m, jump_up
    ld b, a
    call drop
    jr jump_aside
jump_up:
    neg
    ld b, a
jump_row:
    call head_blocked
    jr nz, jump_bump
    ld hl, player_y
    dec (hl)
    djnz jump_row
    ld a, (hl)
    ld (peak_y), a
jump_aside:
    ld a, (jump_dx)
    ld c, a
    jr step
jump_bump:
    ld a, (player_y)
    ld (peak_y), a
    ld a, FALLING
    ld (jump), a
    ret

fall_on:
    ld b, FALL_SPEED

; Down B rows, or until something carries the player: then NZ.
drop:
    push bc
    call supported
    pop bc
    jr nz, land
    ld hl, player_y
    inc (hl)
    djnz drop
    call supported              ; the frame that ends on the ground is the last one in the air
    ret z
land:
    xor a
    ld (jump), a
    ld hl, peak_y
    ld a, (player_y)
    sub (hl)
    cp FALL_LIMIT + 1
    jr c, land_safely
    ld a, CAUSE_FALL
    call died
land_safely:
    or 1
    ret

; NZ if the feet rest on something: they are at the top row of a cell that carries.
supported:
    ld a, (player_y)
    and 7
    jr nz, supported_not
    call below_feet
    ld a, (hl)
    jr z, supported_one
    inc l
    or (hl)
supported_one:
    and 1 << BIT_STANDABLE
    ret
supported_not:
    xor a
    ret

; The row above the head is entered: NZ if a wall is there.
head_blocked:
    ld a, (player_y)
    ld d, a
    and 7
    ld a, 0
    jr nz, head_free
    dec d
    call body_cell
    ld a, (hl)
    jr z, head_one
    inc l
    or (hl)
head_one:
    and 1 << BIT_SOLID
    ret
head_free:
    or a
    ret

; E = pixel column. NZ if a wall is in it beside the body.
column_blocked:
    ld a, (player_y)
    ld d, a
    call cell_at
    ld de, 32
    ld a, (player_y)
    and 7
    ld a, (hl)
    jr z, column_two
    add hl, de                  ; between two rows the body touches three cells
    or (hl)
column_two:
    add hl, de
    or (hl)
    and 1 << BIT_SOLID
    ret

; Rows that a jump moves in each frame: 20 up in 14 frames, 8 of rest at the top, 20 down.
jump_arc:
    defb -3, -2, -2, -2, -2, -2, -1, -1, -1, -1, -1, -1, 0, -1, 0, 0, 0, 0
    defb 0, 0, 0, 0, 1, 0, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 3
