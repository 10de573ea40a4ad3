; SPDX-License-Identifier: GPL-3.0-or-later
; To learn walking and jumping: along the ground, up the ledges to the right, back over three gaps, up on the left, and
; over the bat's head.

room_1:
    defw name_1
    defb 9
    defb 16, 168, 0
    defb 28 * 8, 9 * 8
    defb $47
    defw picture_empty       ; empty cells
    defb $16
    defw picture_brick       ; wall
    defb $44
    defw picture_ledge       ; floor
    defb $06
    defw picture_crumble     ; crumbling floor
    defb $43
    defw picture_belt        ; conveyor to the left
    defb $43
    defw picture_belt        ; conveyor to the right
    defb $45
    defw picture_spikes      ; deadly
    defb $44
    defw picture_thorn       ; deadly
    defb $46
    defw picture_key         ; key
    defb $01
    defw picture_pebbles     ; decoration
    defb $16
    defw picture_door        ; door
    defb KIND_BAT, 168, 72, 160, 208, 1, 1, $43
    defb KIND_BEETLE, 100, 168, 96, 144, 1, 1, $46
    defb KIND_NONE, 0, 0, 0, 0, 0, 0, 0
    defb KIND_NONE, 0, 0, 0, 0, 0, 0, 0
    defb "################################"
    defb "#     .                   .    #"
    defb "#                .             #"
    defb "#   .                          #"
    defb "#              K          .    #"
    defb "#                              #"
    defb "#                              #"
    defb "#                              #"
    defb "#    =======  ====   ==========#"
    defb "#                              #"
    defb "#===        .                  #"
    defb "#                     .        #"
    defb "#   ===         K              #"
    defb "#                              #"
    defb "#      ======  =====  ====     #"
    defb "#                              #"
    defb "#  .           K           === #"
    defb "#                              #"
    defb "#     .                ===     #"
    defb "#         ^         ^          #"
    defb "################################"
