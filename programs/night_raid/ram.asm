; SPDX-License-Identifier: GPL-3.0-or-later
; Every variable of the game. The addresses are fixed: game definitions name them (docs/games/night_raid.md), so new ones go
; into the gaps or to the end. Words are little-endian, BCD has its most significant digits first.

    org $8400
score:          defb 0, 0, 0, 0 ; 8400 BCD
lives:          defb 0          ; 8404
wave:           defb 0          ; 8405 from 1
mode:           defb 0          ; 8406 0 title, 1 playing, 2 game over, 3 won, 4 dying
won:            defb 0          ; 8407 1 when the last wave has been beaten
player_x:       defb 0          ; 8408 left edge of the gun, 10 to 230, even
raiders_left:   defb 0          ; 8409 of this wave, the diver too
landed:         defb 0          ; 840A 1 when a raider has come down
waves_beaten:   defb 0          ; 840B
frames:         defw 0          ; 840C of play in this game
shots_fired:    defw 0          ; 840E
raiders_shot:   defw 0          ; 8410 those on the march and divers, but none that the mothership launched
ships_shot:     defb 0          ; 8412
walls_left:     defb 0          ; 8413 strength of all walls, 160 to 0
lowest_y:       defb 0          ; 8414 top row of the lowest raider on the march; 152 is the ground
seed:           defw 0          ; 8415 all randomness comes from here; 0 counts as a fixed seed
best:           defb 0, 0, 0, 0 ; 8417 BCD, the best score since the program was loaded

    org $8420
shot_x:         defb 0          ; 8420 the gun's shot
shot_y:         defb 0          ; 8421 its tip; 0 none
bombs:          defs BOMBS * 2  ; 8422 x, y of each; y 0 none
    org $842C
; The diver: a raider that has left the formation.
diver:          defb 0          ; 842C kind, 0 none, 5 a burst
diver_x:        defb 0          ; 842D
diver_y:        defb 0          ; 842E
diver_dx:       defb 0          ; 842F 2, 0, 254
diver_clock:    defb 0          ; 8430 frames that a burst still stands; else counts
diver_worth:    defb 0          ; 8431 0 if the mothership launched it
ship:           defb 0          ; 8432 the mothership: 0 none, 1 crossing, 2 the last wave's boss, 3 shot
ship_x:         defb 0          ; 8433 left edge, in steps of two pixels, 16 off: 16 is column 0, 128 column 224
ship_hits:      defb 0          ; 8434 that the boss still takes
ship_dx:        defb 0          ; 8435 1, 255
ship_clock:     defb 0          ; 8436 to the next crossing, in 8 frames; of a ship that is shot, in frames
ship_worth:     defw 0          ; 8437 BCD, of the next crossing
ship_flash:     defb 0          ; 8439 frames for which the boss is white
burst:          defb 0          ; 843A KIND_BURST or 0: where a raider on the march was shot
burst_x:        defb 0          ; 843B
burst_y:        defb 0          ; 843C
burst_clock:    defb 0          ; 843D frames that it still stands, and all stand with it

    org $8440
; kind (0 none), x, y, unused: the bottom row first, from left to right
raiders:        defs RAIDERS * SLOT_SIZE
raiders_end:

    org $84B0
; strength of each block (2 whole, 1 cracked, 0 gone): four walls of four rows of six
walls:          defs WALLS * WALL_BLOCKS

    org $8510
; How the running wave behaves: one row of wave_table.
wave_y:         defb 0          ; 8510 of the top row at the start
wave_moves:     defb 0          ; 8511 raiders that move in a frame, at most
bomb_period:    defb 0          ; 8512 frames from bomb to bomb
bomb_speed:     defb 0          ; 8513 rows a frame
dive_period:    defb 0          ; 8514 in 4 frames; 0 never
dive_speed:     defb 0          ; 8515 rows a frame
wave_rows:      defs ROWS * 2   ; 8516 which places are taken, bits 6 to 0, and by what kind; the bottom row first
wave_name:      defw 0          ; 851E its column and text

    org $8520
marching:       defb 0          ; 8520 raiders on the march: without the diver
march_dx:       defb 0          ; 8521 2, 254
march_drop:     defb 0          ; 8522 1 while all go down
march_edge:     defb 0          ; 8523 1 when one has got to the edge
march_next:     defw raiders    ; 8524 whose turn it is
march_note:     defb 0          ; 8526 0 to 3
bomb_clock:     defb 0          ; 8527 frames to the next bomb
dive_clock:     defb 0          ; 8528 to the next diver, in 4 frames
banner:         defb 0          ; 8529 frames for which the wave's name still stands
border:         defb 0          ; 852A what bits 0-2 of port 0xFE are
sound_next:     defw sound_silence ; 852B the next note of the running sound effect, or of silence
hud_changed:    defb 0          ; 852D score, wave or lives must be printed
ink:            defb 0          ; 852E colour for printing

    org $8540
; What is drawn over the picture and taken off again first of all in the next frame: shot and bombs, then the diver.
; address (high byte 0 none), the mask of its ends and that of its middle
drawn_shots:    defs (1 + BOMBS) * 4
drawn_diver:    defw 0          ; 8558 address, high byte 0 none
drawn_image:    defw 0          ; 855A
