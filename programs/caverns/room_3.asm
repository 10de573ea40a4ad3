; SPDX-License-Identifier: GPL-3.0-or-later
; Crumbling floors above a bed of spikes: each plank carries for half a second in all.

room_3:
    defw name_3
    defb 8
    defb 16, 152, 0
    defb 28 * 8, 7 * 8
    defb $47
    defw picture_empty       ; empty cells
    defb $32
    defw picture_rock        ; wall
    defb $46
    defw picture_plank       ; floor
    defb $42
    defw picture_crumble     ; crumbling floor
    defb $44
    defw picture_belt        ; conveyor to the left
    defb $44
    defw picture_belt        ; conveyor to the right
    defb $47
    defw picture_spikes      ; deadly
    defb $43
    defw picture_stalactite  ; deadly
    defb $46
    defw picture_key         ; key
    defb $02
    defw picture_pebbles     ; decoration
    defb $0D
    defw picture_door        ; door
    defb KIND_SPIDER, 136, 120, 112, 144, 1, 1, $44
    defb KIND_WISP, 112, 48, 32, 88, 1, 1, $45
    defb KIND_NONE, 0, 0, 0, 0, 0, 0, 0
    defb KIND_NONE, 0, 0, 0, 0, 0, 0, 0
    defb "################################"
    defb "#      .            .       .  #"
    defb "#                  K           #"
    defb "#                              #"
    defb "#                              #"
    defb "#                              #"
    defb "#    ~~~~~~~~~  ~~~~~~~~~  ====#"
    defb "#               K              #"
    defb "# ===                          #"
    defb "#                  .           #"
    defb "#     ===  ~~~~  ~~~~  ~~~     #"
    defb "#                              #"
    defb "#              K           === #"
    defb "#                              #"
    defb "#                            ==#"
    defb "#                              #"
    defb "#      ~~~~  ~~~~  ~~~~  ====  #"
    defb "#                              #"
    defb "#====                          #"
    defb "#    ^^^^^^^^^^^^^^^^^^^^^^^^^^#"
    defb "################################"
