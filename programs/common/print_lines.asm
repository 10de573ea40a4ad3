; SPDX-License-Identifier: GPL-3.0-or-later

; Lines of text from HL on: line, column, colour, string; a line of 255 ends them.
print_lines:
    ld a, (hl)
    inc a
    ret z
    dec a
    ld b, a
    inc hl
    ld c, (hl)
    inc hl
    ld a, (hl)
    inc hl
    ld (ink), a
    call print
    jr print_lines
