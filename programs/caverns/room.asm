; SPDX-License-Identifier: GPL-3.0-or-later
; Makes a cave from its record in rooms.asm.

; Fields of a record, from its beginning; IY points there.
REC_NAME equ 0                  ; defw
REC_AIR equ 2                   ; frames for a unit of air
REC_START_X equ 3
REC_START_Y equ 4
REC_FACING equ 5
REC_EXIT_X equ 6                ; in pixels
REC_EXIT_Y equ 7
REC_LOOKS equ 8                 ; LOOKS x (colour, defw picture), in the order of cell_kinds
LOOKS equ 10
LOOK_DOOR equ LOOKS             ; the eleventh is the door
REC_GUARDIANS equ REC_LOOKS + 3 * (LOOKS + 1)
REC_CELLS equ REC_GUARDIANS + SLOTS * SLOT_SIZE

; Starts the room (room).
enter_room:
    ld a, (room)
    ld b, a
    ld hl, room_list - 2
enter_seek:
    inc hl
    inc hl
    djnz enter_seek
    ld e, (hl)
    inc hl
    ld d, (hl)
    call make_room

    xor a
    ld (jump), a
    ld (exit_open), a
    ld h, a
    ld l, a
    ld (room_frames), hl
    ld a, AIR_FULL
    ld (air), a
    ld a, (iy + REC_AIR)
    ld (air_period), a
    ld (air_timer), a
    ld a, (iy + REC_START_X)
    ld (player_x), a
    ld (drawn_x), a
    ld a, (iy + REC_START_Y)
    ld (player_y), a
    ld (drawn_y), a
    ld (peak_y), a
    ld a, (iy + REC_FACING)
    ld (facing), a
    call show_room
    call draw_guardians
    call draw_player
    jp print_hud

; DE = record. The cells, the buffer with their pictures, keys, belts, door and guardians; nothing on the screen yet.
make_room:
    ld (room_record), de
    push de
    pop iy
    ld hl, BUFFER
    ld de, BUFFER + 1
    ld bc, $1AFF + ROOM_LINES * 32 + ROOM_LINE * 32
    ld (hl), 0
    ldir
    ld a, (iy + REC_LOOKS)
    ld (room_back), a
    xor a
    ld (keys_left), a
    ld hl, key_cells
    ld de, key_cells + 1
    ld bc, KEYS * 2 - 1
    ld (hl), a
    ldir
    ld (belts + 1), a
    ld a, $E4
    ld (belt_pattern), a
    ld a, (iy + REC_EXIT_X)
    ld (exit_x), a
    ld a, (iy + REC_EXIT_Y)
    ld (exit_y), a

    ld hl, (room_record)
    ld bc, REC_GUARDIANS
    add hl, bc
    ld de, guardians
    ld bc, SLOTS * SLOT_SIZE
    ldir

    ; HL = the record's cells, DE = cells
    ld de, CELLS + ROOM_LINE * 32
    ld bc, ROOM_CELLS
make_cell:
    push bc
    ld a, (hl)
    inc hl
    push hl
    call find_kind
    ld (de), a
    ld h, d
    ld l, e
    push de
    call place_cell
    pop de
    pop hl
    inc de
    pop bc
    dec bc
    ld a, b
    or c
    jr nz, make_cell
    call list_belts
    ld a, (keys_left)
    ld (room_keys), a
    ; falls through

; The door, two by two cells, closed or open alike; its colour tells.
make_door:
    ld a, (exit_y)
    ld d, a
    ld a, (exit_x)
    ld e, a
    call cell_at
    ld b, LOOK_DOOR
    call look_of
    ; DE = picture of 16 x 16, C = colour
    ld a, c
    ld (door_colour), a
    push hl
    ex de, hl
    ld a, (exit_x)
    call column_of
    ld a, (exit_y)
    push hl
    call row_address
    pop de
    ld b, 16
door_row:
    set 7, h
    ld a, (de)
    ld (hl), a
    inc de
    inc l
    ld a, (de)
    ld (hl), a
    inc de
    dec l
    res 7, h
    inc h
    ld a, h
    and 7
    call z, row_wrap
    djnz door_row
    pop hl
    ld a, h
    sub (CELLS - BUFFER_ATTRIBUTES) / 256
    ld h, a
    ld a, (door_colour)
    ld (hl), a
    inc l
    ld (hl), a
    ld bc, 31
    add hl, bc
    ld (hl), a
    inc l
    ld (hl), a
    ret

door_colour:
    defb 0

; A = what the cell written as the character A is, B = number of its look. Keeps DE.
find_kind:
    ld hl, cell_kinds
    ld b, 0
find_next:
    cp (hl)
    inc hl
    jr z, find_found
    inc hl
    inc b
    jr find_next
find_found:
    ld a, (hl)
    ret

; In the order of a record's looks.
cell_kinds:
    defb " ", CELL_EMPTY
    defb "#", CELL_WALL
    defb "=", CELL_FLOOR
    defb "~", CELL_CRUMBLING
    defb "<", CELL_BELT_LEFT
    defb ">", CELL_BELT_RIGHT
    defb "^", CELL_DEADLY
    defb "*", CELL_DEADLY
    defb "K", CELL_KEY
    defb ".", CELL_EMPTY

; C = colour, DE = picture of look B. Keeps HL.
look_of:
    push hl
    ld hl, (room_record)
    ld de, REC_LOOKS
    add hl, de
    inc b
    ld de, 3
    jr look_here
look_next:
    add hl, de
look_here:
    djnz look_next
    ld c, (hl)
    inc hl
    ld e, (hl)
    inc hl
    ld d, (hl)
    pop hl
    ret

; HL = cell, A = what it is, B = its look: into the buffer and the lists.
place_cell:
    cp CELL_KEY
    call z, list_key
    call look_of
    push hl
    ld a, h
    sub (CELLS - BUFFER_ATTRIBUTES) / 256
    ld h, a
    ld (hl), c
    ; the address of its pixels: the same low byte, the third of the screen in bits 3 and 4
    sub BUFFER_ATTRIBUTES / 256
    add a, a
    add a, a
    add a, a
    or BUFFER / 256
    ld h, a
    ld b, 8
place_row:
    ld a, (de)
    ld (hl), a
    inc de
    inc h
    djnz place_row
    pop hl
    ret

; The buffer on the screen, dark until it is whole.
show_room:
    ld hl, ATTRIBUTES
    ld de, ATTRIBUTES + 1
    ld bc, 767
    ld (hl), 0
    ldir
    ld hl, BUFFER
    ld de, SCREEN
    ld bc, $1B00
    ldir
    ret
