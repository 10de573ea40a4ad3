; SPDX-License-Identifier: GPL-3.0-or-later
; The pictures behind the title and the two endings: records like those of the caves, with nobody to play in them.

title_room:
    defw name_0
    defb 1
    defb 0, 0, 0
    defb 28 * 8, 20 * 8
    defb $47
    defw picture_empty       ; empty cells
    defb $16
    defw picture_brick       ; wall
    defb $44
    defw picture_turf        ; floor
    defb $06
    defw picture_crumble     ; crumbling floor
    defb $45
    defw picture_belt        ; conveyor to the left
    defb $45
    defw picture_belt        ; conveyor to the right
    defb $43
    defw picture_spikes      ; deadly
    defb $42
    defw picture_stalactite  ; deadly
    defb $46
    defw picture_key         ; key
    defb $01
    defw picture_pebbles     ; decoration
    defb $16
    defw picture_door        ; door
    defb KIND_PIP, 64, 160, 32, 144, 1, 0, $47
    defb KIND_BEETLE, 200, 160, 176, 204, 1, 1, $43
    defb KIND_NONE, 0, 0, 0, 0, 0, 0, 0
    defb KIND_NONE, 0, 0, 0, 0, 0, 0, 0
    defb "                                "
    defb "                                "
    defb "                                "
    defb "                                "
    defb "                                "
    defb "                                "
    defb "                                "
    defb "                                "
    defb "                                "
    defb "                                "
    defb "                                "
    defb "                                "
    defb "                                "
    defb "                                "
    defb "                                "
    defb "                                "
    defb "                                "
    defb "#      .        K        .     #"
    defb "##                  .         ##"
    defb "###=========<<<<<<<<=========###"
    defb "################################"

over_room:
    defw name_0
    defb 1
    defb 0, 0, 0
    defb 15 * 8, 18 * 8
    defb $47
    defw picture_empty       ; empty cells
    defb $02
    defw picture_rock        ; wall
    defb $44
    defw picture_turf        ; floor
    defb $06
    defw picture_crumble     ; crumbling floor
    defb $45
    defw picture_belt        ; conveyor to the left
    defb $45
    defw picture_belt        ; conveyor to the right
    defb $43
    defw picture_spikes      ; deadly
    defb $42
    defw picture_stalactite  ; deadly
    defb $46
    defw picture_key         ; key
    defb $01
    defw picture_pebbles     ; decoration
    defb $16
    defw picture_door        ; door
    defb KIND_BEETLE, 64, 152, 16, 224, 1, 1, $42
    defb KIND_BAT, 120, 96, 16, 224, 255, 0, $43
    defb KIND_NONE, 0, 0, 0, 0, 0, 0, 0
    defb KIND_NONE, 0, 0, 0, 0, 0, 0, 0
    defb "################################"
    defb "#                              #"
    defb "#                              #"
    defb "#                              #"
    defb "#                              #"
    defb "#                              #"
    defb "#                              #"
    defb "#                              #"
    defb "#                              #"
    defb "#                              #"
    defb "#                              #"
    defb "#                              #"
    defb "#                              #"
    defb "#                              #"
    defb "#                              #"
    defb "#                              #"
    defb "#                              #"
    defb "#      ^     ^        ^     ^  #"
    defb "################################"
    defb "################################"
    defb "################################"

won_room:
    defw name_0
    defb 1
    defb 0, 0, 0
    defb 4 * 8, 20 * 8
    defb $47
    defw picture_empty       ; empty cells
    defb $02
    defw picture_rock        ; wall
    defb $44
    defw picture_turf        ; floor
    defb $06
    defw picture_crumble     ; crumbling floor
    defb $45
    defw picture_belt        ; conveyor to the left
    defb $45
    defw picture_belt        ; conveyor to the right
    defb $43
    defw picture_spikes      ; deadly
    defb $42
    defw picture_mushroom    ; deadly
    defb $46
    defw picture_key         ; key
    defb $46
    defw picture_star        ; decoration
    defb $16
    defw picture_door        ; door
    defb KIND_PIP, 64, 160, 48, 224, 1, 0, $47
    defb KIND_NONE, 0, 0, 0, 0, 0, 0, 0
    defb KIND_NONE, 0, 0, 0, 0, 0, 0, 0
    defb KIND_NONE, 0, 0, 0, 0, 0, 0, 0
    defb "        .          .       .    "
    defb "   .         .                  "
    defb "                      .         "
    defb "                                "
    defb "                                "
    defb "                                "
    defb "                                "
    defb "                                "
    defb "                                "
    defb "                                "
    defb "                                "
    defb "                                "
    defb "                                "
    defb "                                "
    defb "                                "
    defb "                                "
    defb "                                "
    defb "                                "
    defb "    *      .         .    *     "
    defb "================================"
    defb "================================"
