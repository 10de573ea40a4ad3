; SPDX-License-Identifier: GPL-3.0-or-later

#include "print.asm"

; Prints the lower six digits of the four BCD bytes at HL.
print_bcd:
    inc hl
    call print_two_digits
    inc hl
    call print_two_digits
    inc hl
#include "digits.asm"

#include "print_lines.asm"
#include "fill_colours.asm"
#include "row_address.asm"
#include "row_wrap.asm"
#include "space_held.asm"
#include "add_score.asm"
