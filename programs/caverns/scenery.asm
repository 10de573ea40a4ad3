; SPDX-License-Identifier: GPL-3.0-or-later
; What moves in a cave without harm: conveyors run, keys glitter, the open door shines.

draw_scenery:
    call run_belts
    ld a, (room_frames)
    and 3
    ret nz
    call shine_keys
    ; falls through

; The open door changes its colours, eight frames each.
shine_door:
    ld a, (exit_open)
    or a
    ret z
    ld a, (exit_y)
    ld d, a
    ld a, (exit_x)
    ld e, a
    call colours_at
    ld a, (room_frames)
    and 8
    ld b, $72                   ; red on bright yellow
    jr z, shine_colour
    ld b, $56                   ; yellow on bright red
shine_colour:
    ld de, 31
    call colour_line
    jp colour_line

; Keys take one bright colour after another, each another one.
shine_keys:
    ld a, (room_frames)
    rrca
    rrca
    and 3
    ld c, a
    ld b, KEYS
    ld hl, key_cells
shine_key:
    ld e, (hl)
    inc hl
    ld a, (hl)
    inc hl
    or a
    jr z, shine_next
    sub (CELLS - ATTRIBUTES) / 256
    ld d, a
    inc c
    ld a, c
    and 3
    add a, $43                  ; magenta, green, cyan, yellow
    ld (de), a
shine_next:
    djnz shine_key
    ret

; The top row of each belt cell is a pattern that is rotated a pixel a frame, as fast as it carries; it is written to the
; screen and to the buffer, which figures are drawn over.
run_belts:
    ld a, (belts + 1)
    or a
    ret z
    ld a, (belt_pattern)
    rrca
    ld (belt_pattern), a
    ld ix, belts
run_belt:
    ld b, (ix + 1)
    ld a, b
    or a
    ret z
    ld l, (ix + 0)
    ld h, (ix + 2)
    ld a, (belt_pattern)
    bit 7, (ix + 3)
    jr z, run_way
    ; the mirrored pattern runs left: bits in the other order
    ld c, a
    push bc
    ld b, 8
run_mirror:
    rr c
    rla
    djnz run_mirror
    pop bc
run_way:
    ld c, a
    push bc
    push hl
    call run_row
    pop hl
    pop bc
    ; the lower edge runs back
    inc h
    inc h
    ld a, c
    cpl
    ld c, a
    call run_row
    ld de, 4
    add ix, de
    jr run_belt
run_row:
    ld (hl), c
    set 7, h
    ld (hl), c
    res 7, h
    inc l
    djnz run_row
    ret
