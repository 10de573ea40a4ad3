; SPDX-License-Identifier: GPL-3.0-or-later

#include "print.asm"

; Prints the lower four digits of the four BCD bytes at HL.
print_bcd:
    inc hl
    inc hl
    call print_two_digits
    inc hl
#include "digits.asm"
