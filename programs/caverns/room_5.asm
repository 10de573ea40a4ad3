; SPDX-License-Identifier: GPL-3.0-or-later
; Plants kill. Down through two shafts, five lines at a time and no more, under a bat, past a worm, over a belt that runs
; the other way.

room_5:
    defw name_5
    defb 9
    defb 16, 56, 0
    defb 28 * 8, 21 * 8
    defb $47
    defw picture_empty       ; empty cells
    defb $20
    defw picture_moss        ; wall
    defb $44
    defw picture_turf        ; floor
    defb $06
    defw picture_crumble     ; crumbling floor
    defb $46
    defw picture_belt        ; conveyor to the left
    defb $46
    defw picture_belt        ; conveyor to the right
    defb $43
    defw picture_mushroom    ; deadly
    defb $46
    defw picture_thorn       ; deadly
    defb $46
    defw picture_key         ; key
    defb $04
    defw picture_pebbles     ; decoration
    defb $16
    defw picture_door        ; door
    defb KIND_BAT, 120, 32, 80, 176, 1, 0, $45
    defb KIND_WORM, 112, 120, 96, 128, 1, 1, $46
    defb KIND_WISP, 208, 152, 144, 168, 1, 1, $43
    defb KIND_NONE, 0, 0, 0, 0, 0, 0, 0
    defb "################################"
    defb "#                              #"
    defb "#    .                   .     #"
    defb "#              K               #"
    defb "#                              #"
    defb "#        *         *           #"
    defb "##########################     #"
    defb "#                              #"
    defb "#  .               .           #"
    defb "#                              #"
    defb "#                        ======#"
    defb "#             K                #"
    defb "#                            . #"
    defb "#         *       *            #"
    defb "#    ###########################"
    defb "#                              #"
    defb "#                              #"
    defb "#         .          K         #"
    defb "#====                          #"
    defb "#        ^      ^        .     #"
    defb "##################<<<<<#########"
