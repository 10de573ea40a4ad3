; SPDX-License-Identifier: GPL-3.0-or-later
; Conveyors. The upper one runs against the way, and only jumps get over it; the long one below carries the player towards
; the cart; the lowest leads under the spider.

room_2:
    defw name_2
    defb 8
    defb 16, 56, 0
    defb 28 * 8, 21 * 8
    defb $47
    defw picture_empty       ; empty cells
    defb $29
    defw picture_slab        ; wall
    defb $45
    defw picture_girder      ; floor
    defb $06
    defw picture_crumble     ; crumbling floor
    defb $44
    defw picture_belt        ; conveyor to the left
    defb $44
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
    defb KIND_CART, 80, 104, 72, 176, 1, 0, $45
    defb KIND_SPIDER, 144, 136, 128, 168, 1, 0, $42
    defb KIND_NONE, 0, 0, 0, 0, 0, 0, 0
    defb KIND_NONE, 0, 0, 0, 0, 0, 0, 0
    defb "################################"
    defb "#         .                 ** #"
    defb "#                              #"
    defb "#                            . #"
    defb "#   .          K               #"
    defb "#                              #"
    defb "#====<<<<<<===  ===<<<<<===    #"
    defb "#                              #"
    defb "#    .                         #"
    defb "#               K              #"
    defb "#                          ====#"
    defb "#                              #"
    defb "#K   ==  <<<<<<<<<<<<<<<<<     #"
    defb "#                              #"
    defb "#===                           #"
    defb "#                              #"
    defb "#    ===                    .  #"
    defb "#            .      K          #"
    defb "#        ==                    #"
    defb "#                        ^     #"
    defb "############>>>>>>>>>>>>########"
