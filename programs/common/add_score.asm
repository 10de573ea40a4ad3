; SPDX-License-Identifier: GPL-3.0-or-later

; HL = BCD points.
add_score:
    ex de, hl
    ld hl, score + 3
    ld a, (hl)
    add a, e
    daa
    ld (hl), a
    dec hl
    ld a, (hl)
    adc a, d
    daa
    ld (hl), a
    dec hl
    ld a, (hl)
    adc a, 0
    daa
    ld (hl), a
    dec hl
    ld a, (hl)
    adc a, 0
    daa
    ld (hl), a
    ld a, 1
    ld (hud_changed), a
    ret
