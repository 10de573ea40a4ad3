; SPDX-License-Identifier: GPL-3.0-or-later
; Every variable of the game. The addresses are fixed: game definitions name them (docs/games/forest_ride.md), so new ones
; go into the gaps or to the end. Words are little-endian, BCD has its most significant digits first. A turn is two frames.

    org $8400
score:          defb 0, 0, 0, 0 ; 8400 BCD
lives:          defb 0          ; 8404
sector:         defb 0          ; 8405 from 1
mode:           defb 0          ; 8406 0 title, 1 riding, 2 game over, 3 all sectors done, 4 crashed, 5 leaving a sector
won:            defb 0          ; 8407 1 when all sectors are done and no life was lost
player_x:       defw 0          ; 8408 place aside in 1/256 units, wraps round
steer:          defb 0          ; 840A signed, 1/16 units aside a turn
speed:          defb 0          ; 840B 1/64 units ahead a turn
distance:       defw 0          ; 840C units ridden in this sector
marks:          defb 0          ; 840E sixteenths of a sector ridden in this game, each counted once
kills:          defb 0          ; 840F riders shot in this game
riders_left:    defb 0          ; 8410 still to be shot in this sector
sectors_done:   defb 0          ; 8411 in this game
turns:          defw 0          ; 8412 of riding in this game
seed:           defw 0          ; 8414 all randomness comes from here; 0 counts as a fixed seed
night:          defb 0          ; 8416 1 in a sector at night
next_x:         defb 0          ; 8417 the tree that comes next within reach: units aside, signed
next_z:         defb 0          ; 8418 and ahead; 255 none
aim_x:          defb 0          ; 8419 the first rider: units aside, signed
aim_z:          defb 0          ; 841A and ahead; 0 none
best:           defb 0, 0, 0, 0 ; 841B BCD, the best score since the program was loaded

    org $8420
input:          defb 0          ; 8420 bit 0 right, 1 left, 2 fire
ride:           defw 0          ; 8421 way ridden in 1/256 units, wraps round
sector_marks:   defb 0          ; 8423 sixteenths of this sector
mark_left:      defb 0          ; 8424 units to the next one
tree_first:     defb 0          ; 8425 low byte of the nearest tree's address
tree_count:     defb 0          ; 8426
tree_last:      defb 0          ; 8427 where the farthest one stands
bolt_x:         defb 0          ; 8428
bolt_z:         defb 0          ; 8429 0 none
reload:         defb 0          ; 842A turns until the next bolt
rider_wait:     defb 0          ; 842B turns until the next rider comes
lean:           defb 0          ; 842C how the handlebars are drawn: 0 left, 1 straight, 2 right, 255 not at all
now:            defb 0          ; 842D high byte of the columns of this turn
border:         defb 0          ; 842E what bits 0-2 of port 0xFE are
sound_next:     defw sound_silence ; 842F the next note of the running sound effect, or of silence
hud_changed:    defb 0          ; 8431 score, riders or lives must be printed
ink:            defb 0          ; 8432 colour for printing
shapes:         defb 0          ; 8433 figures to draw in this turn
tufts_ready:    defb 0          ; 8434 tufts to draw in this turn

; One row of sector_table.
sector_row:
cruise:         defb 0          ; 8435 the sector's speed
spacing:        defb 0          ; 8436 units from tree to tree, at least
mark_length:    defb 0          ; 8437 units of a sixteenth
quota:          defb 0          ; 8438 riders
company:        defb 0          ; 8439 riders at once
palette:        defw 0          ; 843A its colours

    org $8440
; state (0 none, 1 riding, 2 bursting, 3 leaving), x fraction, x, z, z aimed at, speed aside, turns to go, turns to think
riders:         defs SLOTS * SLOT_SIZE

    org $8450
; first column, first row, rows, base row, colour, address of the image, columns
shape_list:     defs 3 * 8
tufts_drawn:    defb 0          ; 8468 tufts on the screen
ink_rider:      defb 0          ; 8469
ink_bolt:       defb 0          ; 846A
shown_speed:    defb 0          ; 846B what the panel says
ticks:          defb 0          ; 846C frames, wraps round
turn_tick:      defb 0          ; 846D of which this turn began in this one
dash_line:      defb 0          ; 846E line of the handlebars to be drawn next, 5 if they are whole
dash_picture:   defw 0          ; 846F
late:           defb 0          ; 8471 not negative if this turn was late: then it does without hum and new tufts

    org $8480
; place aside, place ahead (both wrap round), nearest first, in a ring
trees:          defs TREES * 2
; place aside, place ahead
tufts:          defs TUFTS * 2
