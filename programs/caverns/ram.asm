; SPDX-License-Identifier: GPL-3.0-or-later
; Every variable of the game. The addresses are fixed: game definitions name them (docs/games/caverns.md), so new ones go
; into the gaps or to the end. Words are little-endian, BCD has its most significant digits first.

    org $8400
score:          defb 0, 0, 0, 0 ; 8400 BCD
lives:          defb 0          ; 8404
room:           defb 0          ; 8405 from 1
mode:           defb 0          ; 8406 0 title, 1 playing, 2 game over, 3 won, 4 dying, 5 leaving a room
won:            defb 0          ; 8407 1 when the last room has been left
player_x:       defb 0          ; 8408 left edge of the picture in pixels; the body is the middle 8 of its 16 columns
player_y:       defb 0          ; 8409 top row
keys_left:      defb 0          ; 840A in this room
air:            defb 0          ; 840B 224 to 0
rooms_done:     defb 0          ; 840C in this game
progress:       defb 0          ; 840D keys and rooms of this game, each counted once, however often a room is begun anew
keys_taken:     defw 0          ; 840E in this game
frames:         defw 0          ; 8410 of play in this game
cause:          defb 0          ; 8412 of the last death: 1 guardian, 2 plant or spike, 3 fall, 4 no air
room_best:      defb 0          ; 8413 most keys ever taken in one life in this room
room_frames:    defw 0          ; 8414 since the room began; the clock of all that moves in it

    org $8418
facing:         defb 0          ; 8418 0 right, 1 left
jump:           defb 0          ; 8419 0 on the ground, 1 to 36 next step of a jump, 255 falling
jump_dx:        defb 0          ; 841A 0, 1, 255: columns a frame while jumping
peak_y:         defb 0          ; 841B highest row since the feet left the ground
exit_open:      defb 0          ; 841C 1 when all keys are taken
input:          defb 0          ; 841D bit 0 right, 1 left, 2 jump
best:           defb 0, 0, 0, 0 ; 841E BCD, the best score since the program was loaded

drawn_x:        defb 0          ; 8422 where the screen shows the player
drawn_y:        defb 0          ; 8423
air_timer:      defb 0          ; 8424 frames to the next unit of air
air_period:     defb 0          ; 8425 frames for a unit in this room
exit_x:         defb 0          ; 8426 in pixels
exit_y:         defb 0          ; 8427
border:         defb 0          ; 8428 what bits 0-2 of port 0xFE are
sound_next:     defw sound_silence ; 8429 the next note of the running sound effect, or of silence
hud_changed:    defb 0          ; 842B score, keys or lives must be printed
ink:            defb 0          ; 842C colour for printing
room_record:    defw 0          ; 842D the running room's data (rooms.asm)
room_back:      defb 0          ; 842F colour of its empty cells

    org $8430
; address in CELLS of each key, its high byte 0 when it is taken
key_cells:      defs KEYS * 2

    org $8440
; kind, x, y, low, high, step, pace, ink
guardians:      defs SLOTS * SLOT_SIZE

    org $8460
; address of the top row on the screen, cells, step (1 right, 255 left); a length of 0 ends them
belts:          defs BELTS * 4 + 4
belt_pattern:   defb 0          ; 8474 the moving row, rotated
room_keys:      defb 0          ; 8475 keys that this room has
