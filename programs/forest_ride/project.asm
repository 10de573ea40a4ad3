; SPDX-License-Identifier: GPL-3.0-or-later
; From the forest to the screen.

; A = place aside, C = distance, 0 to 127. HL = the column in which the middle of it appears, -52 to 308; carry if it is
; further out. Keeps BC and IX.
project:
    push bc
    ld h, a
    ld l, 0
    ld de, (player_x)
    or a
    sbc hl, de
    ld b, h                     ; bit 7: to the left
    bit 7, h
    jr z, project_scale
    xor a
    sub l
    ld l, a
    sbc a, a
    sub h
    ld h, a
project_scale:
    ; at most as many units aside as ahead are on the screen: scale x (z + 16) is 144
    ld a, c
    add a, 20
    cp h
    jr c, project_out
    ex de, hl
    ld h, SCALE / 256
    ld l, c
    ld l, (hl)
    ; columns = units x scale = (1/16 units x 16 scale) / 256, far off (1/4 units x 64 scale) / 256
    ld a, c
    cp FAR
    ld a, l
    jr c, project_near
    srl d
    rr e
    srl d
    rr e
project_near:
    srl d
    rr e
    srl d
    rr e
    srl d
    rr e
    srl d
    rr e
    ; HL = DE x A, which the test above keeps below 180 x 256
    ld hl, 0
    add a, a
    jr nc, project_0
    add hl, de
project_0:
    add hl, hl
    add a, a
    jr nc, project_1
    add hl, de
project_1:
    add hl, hl
    add a, a
    jr nc, project_2
    add hl, de
project_2:
    add hl, hl
    add a, a
    jr nc, project_3
    add hl, de
project_3:
    add hl, hl
    add a, a
    jr nc, project_4
    add hl, de
project_4:
    add hl, hl
    add a, a
    jr nc, project_5
    add hl, de
project_5:
    add hl, hl
    add a, a
    jr nc, project_6
    add hl, de
project_6:
    add hl, hl
    add a, a
    jr nc, project_7
    add hl, de
project_7:
    ; H columns from the middle
    ld e, h
    ld d, 0
    ld hl, 128
    bit 7, b
    pop bc
    jr z, project_right
    or a
    sbc hl, de
    or a
    ret
project_right:
    add hl, de
    or a
    ret
project_out:
    scf
    pop bc
    ret
