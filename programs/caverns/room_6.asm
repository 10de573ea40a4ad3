; SPDX-License-Identifier: GPL-3.0-or-later
; All of it once more, and upwards: spikes, a beetle and a cart below, a belt and planks in the middle, and the last gaps
; beside a wisp and a spider.

room_6:
    defw name_6
    defb 9
    defb 16, 168, 0
    defb 28 * 8, 9 * 8
    defb $47
    defw picture_empty       ; empty cells
    defb $17
    defw picture_root        ; wall
    defb $44
    defw picture_ledge       ; floor
    defb $46
    defw picture_crumble     ; crumbling floor
    defb $45
    defw picture_belt        ; conveyor to the left
    defb $45
    defw picture_belt        ; conveyor to the right
    defb $42
    defw picture_spikes      ; deadly
    defb $44
    defw picture_thorn       ; deadly
    defb $46
    defw picture_key         ; key
    defb $01
    defw picture_star        ; decoration
    defb $30
    defw picture_door        ; door
    defb KIND_WISP, 104, 56, 40, 104, 1, 1, $43
    defb KIND_SPIDER, 200, 40, 32, 120, 1, 0, $46
    defb KIND_BEETLE, 72, 168, 64, 80, 1, 1, $46
    defb KIND_CART, 192, 168, 172, 192, 1, 0, $45
    defb "################################"
    defb "#   .      .       .      .    #"
    defb "#      .       .      .      . #"
    defb "#                              #"
    defb "#          K     K             #"
    defb "#                              #"
    defb "#                              #"
    defb "#                              #"
    defb "#  ====  ~~~~  >>>>>  ~~~  ====#"
    defb "#                              #"
    defb "#===                           #"
    defb "#                    K         #"
    defb "#    ===                       #"
    defb "#                              #"
    defb "#        ===  ~~~  <<<<<<  === #"
    defb "#                              #"
    defb "#               K            ==#"
    defb "#                              #"
    defb "#                         ===  #"
    defb "#      ^      ^    ^           #"
    defb "################################"
