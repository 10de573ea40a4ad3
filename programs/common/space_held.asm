; SPDX-License-Identifier: GPL-3.0-or-later

; Carry if space is held.
space_held:
    ld a, $7F
    in a, ($FE)
    cpl
    rrca
    ret
