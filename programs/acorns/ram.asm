; SPDX-License-Identifier: GPL-3.0-or-later
; Every variable of the game. The addresses are fixed: game definitions name them (docs/games/acorns.md), so new ones go
; into the gaps or to the end. Words are little-endian, BCD has its most significant digits first.

    org $8400
score:          defb 0, 0, 0, 0 ; 8400 BCD
lives:          defb 0          ; 8404
level:          defb 0          ; 8405 from 1
mode:           defb 0          ; 8406 0 title, 1 playing, 2 game over, 3 won
won:            defb 0          ; 8407 1 when the last level has been cleared
basket_x:       defb 0          ; 8408 left edge in pixels, 32 to 223
caught_count:   defw 0          ; 8409 good acorns caught
missed_count:   defw 0          ; 840B good acorns missed
rotten_count:   defw 0          ; 840D rotten acorns caught
caught_1_3:     defw 0          ; 840F good acorns of levels 1 to 3 caught
missed_1_3:     defw 0          ; 8411 and missed
frames:         defw 0          ; 8413 frames since the game began
seed:           defw 0          ; 8415 all randomness comes from here; 0 counts as a fixed seed
lowest_kind:    defb 0          ; 8417 the acorn that lands next: 0 none, 1 good, 2 rotten
lowest_x:       defb 0          ; 8418 its left edge
lowest_y:       defb 0          ; 8419 its top row
good_left:      defb 0          ; 841A good acorns of this level still in the tree
best:           defb 0, 0, 0, 0 ; 841B BCD, the best score since the program was loaded

    org $8420
; How the running level behaves: one row of level_table.
speed:          defw 0          ; 8420 rows a frame, in 256ths
spacing:        defb 0          ; 8422 frames from one acorn to the next
reach:          defb 0          ; 8423 places from one good acorn to the next, at most
rotten_odds:    defb 0          ; 8424 of 256, that the next acorn is rotten

spawn_timer:    defb 0          ; 8425 frames to the next acorn
last_place:     defb 0          ; 8426 place of the last good acorn
last_kind:      defb 0          ; 8427 kind of the last acorn
banner:         defb 0          ; 8428 frames for which the level's name still stands in the sky
hurt:           defb 0          ; 8429 frames for which the border stays red
border:         defb 0          ; 842A what bits 0-2 of port 0xFE are
sound_next:     defw sound_silence ; 842B the next note of the running sound effect, or of silence
hud_changed:    defb 0          ; 842D score or lives must be printed
basket_column:  defb 0          ; 842E character column at which the screen shows the basket
ink:            defb 0          ; 842F colour for printing

    org $8440
; kind, x, y fraction, y, y drawn, phase (0 falling, 1 passed, 2 gone), 2 unused
acorns:         defs SLOTS * SLOT_SIZE
