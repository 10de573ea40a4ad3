; SPDX-License-Identifier: GPL-3.0-or-later
; What can happen to the player. A definition may hook these addresses: each is passed once for each such event.

    org $8200

; A bolt has hit the rider IX.
rider_shot:
    ld (ix + STATE), RIDER_SHOT
    ld (ix + RIDER_TIME), BURST_TURNS
    xor a
    ld (bolt_z), a
    ld hl, kills
    inc (hl)
    ld hl, riders_left
    dec (hl)
    ld hl, sound_shot
    ld (sound_next), hl
    ld hl, $0100
    jp add_score

; A tree was in the way. The first one in a turn counts.
crashed:
    ld hl, mode
    ld a, (hl)
    cp MODE_PLAYING
    ret nz
    ld (hl), MODE_CRASHED
    ld hl, lives
    dec (hl)
    ld a, 1
    ld (hud_changed), a
    ld hl, sound_crash
    ld (sound_next), hl
    ret

; A sixteenth of the sector's way is done.
mark_passed:
    ld hl, marks
    inc (hl)
    ld hl, sector_marks
    inc (hl)
    ld a, (mark_length)
    ld hl, mark_left            ; 0, or less by what was ridden beyond it
    add a, (hl)
    ld (hl), a
    ld hl, $0010
    jp add_score

; All of the way is done, and no rider is left.
sector_done:
    ld a, MODE_LEAVING
    ld (mode), a
    ld hl, sectors_done
    inc (hl)
    ld a, (hl)
    cp SECTORS
    jr nz, sector_points
    ld a, (lives)
    cp LIVES
    jr nz, sector_points
    ld a, 1
    ld (won), a
sector_points:
    ld hl, sound_sector
    ld (sound_next), hl
    ld hl, $0500
    jp add_score

; Jumped to when the last life is lost.
game_over:
    ld a, MODE_OVER
    ld (mode), a
    jp show_game_over

; Jumped to when the last sector is done, whatever lives are left.
game_finished:
    ld a, MODE_WON
    ld (mode), a
    jp show_finished
