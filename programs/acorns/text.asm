; SPDX-License-Identifier: GPL-3.0-or-later

#include "print.asm"

; Prints the lower four digits of the four BCD bytes at HL.
print_bcd:
    inc hl
    inc hl
    call print_two_digits
    inc hl
print_two_digits:
    ld a, (hl)
    rrca
    rrca
    rrca
    rrca
    call print_digit
    ld a, (hl)
print_digit:
    and $0F
    add a, 48
    call print_character
    inc c
    ret
