; SPDX-License-Identifier: GPL-3.0-or-later
; The caves, as tables. A record is: name, frames for a unit of air, where the player starts and faces (0 right), the door;
; then the looks of its cells, colour and picture, in the order of cell_kinds; then four guardians; then 21 lines of cells:
; '#' wall, '=' floor, '~' crumbling floor, '<' and '>' conveyors, '^' and '*' deadly, 'K' key, '.' decoration.
; Levels are two lines apart where a jump leads up. A drop of five lines is survived, six are not.

room_list:
    defw room_1, room_2, room_3, room_4, room_5, room_6

name_1: defb 10, "THE OLD ADIT", 0
name_2: defb 8, "RUNNING FLOORS", 0
name_3: defb 10, "ROTTEN PLANKS", 0
name_4: defb 8, "THE DRIPPING HALL", 0
name_5: defb 7, "THE GARDEN IN THE DARK", 0
name_6: defb 10, "THE LAST CLIMB", 0
name_0: defb 0, 0

#include "room_1.asm"
#include "room_2.asm"
#include "room_3.asm"
#include "room_4.asm"
#include "room_5.asm"
#include "room_6.asm"
#include "pageants.asm"
