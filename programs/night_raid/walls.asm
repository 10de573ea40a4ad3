; SPDX-License-Identifier: GPL-3.0-or-later
; Four walls of blocks of 4 x 4 pixels. Every shot and every bomb takes half of a block; a raider that flies into a wall
; brings it down.

WALL_ROWS equ 16

; D = pixel column, E = pixel row. Carry if there was a block, which is weaker now. Keeps DE.
wall_at:
    ld a, e
    sub WALL_Y
    cp WALL_ROWS
    jr nc, wall_none
    srl a
    srl a
    ld c, a                     ; C = row of blocks
    ld a, d
    sub WALL_X
    jr c, wall_none
    ld hl, walls
wall_seek:
    cp WALL_PITCH
    jr c, wall_found
    push bc
    ld bc, WALL_BLOCKS
    add hl, bc
    pop bc
    sub WALL_PITCH
    jr wall_seek
wall_found:
    cp WALL_WIDTH
    jr nc, wall_none
    srl a
    srl a
    ld b, a                     ; its column in the wall
    ld a, c
    add a, a
    add a, c
    add a, a
    add a, b
    ld c, a
    ld b, 0
    add hl, bc
    ld a, (hl)
    or a
    ret z
    call wall_hit
    call draw_block
    scf
    ret
wall_none:
    or a
    ret

; The block at HL, at pixel column D and row E. Keeps all but A.
draw_block:
    push bc
    push de
    push hl
    ld c, (hl)
    ld b, 0
    sla c
    sla c
    ld hl, block_pictures
    add hl, bc
    push hl
    ld a, d
    rrca
    rrca
    rrca
    and 31
    ld c, a
    ld a, e
    and 252
    call row_address
    ; which half of the byte
    ld c, $F0
    bit 2, d
    jr z, block_left
    ld c, $0F
block_left:
    pop de
    ld b, 4
block_row:
    ld a, (de)
    xor (hl)
    and c
    xor (hl)
    ld (hl), a
    inc de
    inc h
    djnz block_row
    pop hl
    pop de
    pop bc
    ret

; All walls are whole again.
build_walls:
    ld a, WALLS_WHOLE
    ld (walls_left), a
    ld de, walls
    ld a, WALLS
build_wall:
    ld hl, wall_plan
    ld bc, WALL_BLOCKS
    ldir
    dec a
    jr nz, build_wall
    ret

draw_walls:
    ld hl, walls
    ld d, WALL_X
draw_wall:
    ld e, WALL_Y
draw_wall_row:
    ld b, 6
    push de
draw_wall_block:
    call draw_block
    inc hl
    ld a, d
    add a, 4
    ld d, a
    djnz draw_wall_block
    pop de
    ld a, e
    add a, 4
    ld e, a
    cp WALL_Y + WALL_ROWS
    jr c, draw_wall_row
    ld a, d
    add a, WALL_PITCH
    ld d, a
    jr nc, draw_wall
    ld a, INK_WALL
    ld bc, WALL_Y / 8 * 256
    ld de, 2 * 256 + 32
    jp fill_colours

; The raider IX flies low: the walls in its cells come down.
tear_walls:
    ld b, 0
    ld c, WALL_X - WALL_WIDTH + 1
tear_look:
    ld a, (ix + RAIDER_X)
    sub c
    cp 2 * WALL_WIDTH + 7
    call c, tear_wall
    ld a, c
    add a, WALL_PITCH
    ld c, a
    inc b
    ld a, b
    cp WALLS
    jr nz, tear_look
    ret

; HL = the first block of wall B. Keeps BC.
wall_blocks:
    ld a, b
    add a, a
    add a, b
    add a, a
    add a, a
    add a, a                    ; 24 blocks
    add a, walls - score        ; (score) is where a page begins
    ld l, a
    ld h, walls / 256
    ret nc
    inc h
    ret

; Z if nothing of wall B is left. Keeps BC.
wall_stands:
    call wall_blocks
    push bc
    ld b, WALL_BLOCKS
    xor a
stands_block:
    or (hl)
    inc hl
    djnz stands_block
    pop bc
    or a
    ret

; Wall B comes down. Keeps BC and IX.
tear_wall:
    push bc
    ; column of cells: 4 + 7 x wall
    ld a, b
    add a, a
    add a, a
    add a, a
    sub b
    add a, WALL_X / 8
    ld e, a
    call wall_blocks
    ld b, WALL_BLOCKS
tear_block:
    ld a, (walls_left)
    sub (hl)
    ld (walls_left), a
    ld (hl), 0
    inc hl
    djnz tear_block
    ld c, e
    ld a, WALL_Y
    call row_address
    ld b, WALL_ROWS
tear_row:
    xor a
    ld (hl), a
    inc l
    ld (hl), a
    inc l
    ld (hl), a
    dec l
    dec l
    inc h
    ld a, h
    and 7
    call z, row_wrap
    djnz tear_row
    pop bc
    ret

wall_plan:
    defb 0, 2, 2, 2, 2, 0
    defb 2, 2, 2, 2, 2, 2
    defb 2, 2, 2, 2, 2, 2
    defb 2, 2, 0, 0, 2, 2
block_pictures:                 ; both halves of a byte alike
    defb 0, 0, 0, 0
    defb %10101010, %01010101, %10101010, %01000100
    defb %11111111, %11111111, %11111111, %01110111
