; SPDX-License-Identifier: GPL-3.0-or-later
; What can happen to the player. A definition may hook these addresses: each is passed once for each such event.

    org $8200

; A key is taken: HL = its cell.
key_taken:
    call remove_key
    ld hl, (keys_taken)
    inc hl
    ld (keys_taken), hl
    ld hl, $0100
    call add_score
    ld hl, sound_key
    ld (sound_next), hl
    ; Progress is what this room has not seen before: dying and taking the same key again is none.
    ld hl, keys_left
    dec (hl)
    ld a, (room_keys)
    sub (hl)
    ld hl, room_best
    cp (hl)
    jr c, key_counted
    jr z, key_counted
    ld (hl), a
    ld hl, progress
    inc (hl)
key_counted:
    ld a, (keys_left)
    or a
    ret nz
    inc a
    ld (exit_open), a
    ld hl, sound_open
    ld (sound_next), hl
    ret

; A = cause. The first cause in a frame counts.
died:
    ld hl, mode
    ld b, (hl)
    dec b                       ; MODE_PLAYING?
    ret nz
    ld (hl), MODE_DYING
    ld (cause), a
    ld hl, lives
    dec (hl)
    ld hl, sound_died
    ld (sound_next), hl
    ld a, 1
    ld (hud_changed), a
    ld a, 2
    ld (border), a
    out ($FE), a
    ret

; The player is in the open door.
room_done:
    ld hl, mode
    ld (hl), MODE_LEAVING
    ld hl, rooms_done
    inc (hl)
    ld hl, progress
    inc (hl)
    ld hl, $0500
    call add_score
    ld a, (room)
    cp ROOMS
    ret nz
    ld a, 1
    ld (won), a
    ret

; Jumped to when the last life is lost.
game_over:
    ld a, MODE_OVER
    ld (mode), a
    jp show_game_over

; Jumped to when the last room is left and its air is counted.
game_won:
    ld a, MODE_WON
    ld (mode), a
    jp show_won
