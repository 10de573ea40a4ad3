; SPDX-License-Identifier: GPL-3.0-or-later

; One row a level, copied to `speed` and what follows it:
; rows a frame in 256ths, frames between acorns, places between good acorns at most, odds of a rotten one (of 256).
; The basket covers 3/16 of a place in a frame; (spacing - 8) x 3/16 >= reach leaves a player who decides every fourth
; frame time for two late decisions.
LEVEL_ROW equ 5

level_table:
    defw $0118
    defb 64, 6, 32
    defw $0138
    defb 56, 6, 48
    defw $0160
    defb 50, 6, 56
    defw $0188
    defb 44, 5, 64
    defw $01B0
    defb 39, 5, 72
    defw $01E0
    defb 34, 4, 80
    defw $0220
    defb 30, 4, 88
    defw $0268
    defb 27, 3, 96
