; SPDX-License-Identifier: GPL-3.0-or-later

; Prints the two digits of the BCD byte at HL from line B, column C on.
print_two_digits:
    ld a, (hl)
    rrca
    rrca
    rrca
    rrca
    call print_digit
    ld a, (hl)
; Prints the lower half of A.
print_digit:
    and $0F
    add a, 48
    call print_character
    inc c
    ret
