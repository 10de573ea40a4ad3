; SPDX-License-Identifier: GPL-3.0-or-later
; Drops fall through the holes of two floors. From the right along the ground, up on the left, to the right past a spike
; and a worm, and back on top.

room_4:
    defw name_4
    defb 9
    defb 224, 168, 1
    defb 7 * 8, 9 * 8
    defb $47
    defw picture_empty       ; empty cells
    defb $0D
    defw picture_crystal     ; wall
    defb $47
    defw picture_ledge       ; floor
    defb $06
    defw picture_crumble     ; crumbling floor
    defb $44
    defw picture_belt        ; conveyor to the left
    defb $44
    defw picture_belt        ; conveyor to the right
    defb $46
    defw picture_spikes      ; deadly
    defb $45
    defw picture_stalactite  ; deadly
    defb $46
    defw picture_key         ; key
    defb $05
    defw picture_pebbles     ; decoration
    defb $13
    defw picture_door        ; door
    defb KIND_DRIP, 96, 40, 32, 168, 1, $80, $45
    defb KIND_DRIP, 152, 120, 32, 168, 1, $80, $45
    defb KIND_WORM, 184, 120, 168, 192, 1, 1, $44
    defb KIND_BEETLE, 176, 168, 120, 184, 1, 1, $42
    defb "################################"
    defb "#  *   * **      *   **  *  *  #"
    defb "#            .           .     #"
    defb "#                              #"
    defb "#               K              #"
    defb "#    .                         #"
    defb "#                      .       #"
    defb "#                              #"
    defb "#     ======  =====  ==        #"
    defb "#                              #"
    defb "#                       ===    #"
    defb "#                K             #"
    defb "#                          ====#"
    defb "#               ^              #"
    defb "#       ====  =====  =====     #"
    defb "#                              #"
    defb "#   ===  K                     #"
    defb "#                              #"
    defb "#===             .             #"
    defb "#                              #"
    defb "################################"
