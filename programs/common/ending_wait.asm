; SPDX-License-Identifier: GPL-3.0-or-later

; After the message at the end: back to the title when space is pressed. `ending_frame` is the game's: one frame, carry if space
; is held.

PAUSE_FRAMES equ 40             ; a held key must not skip the message

    ld b, PAUSE_FRAMES
ending_pause:
    push bc
    call ending_frame
    pop bc
    djnz ending_pause
ending_release:
    call ending_frame
    jr c, ending_release
ending_wait:
    call ending_frame
    jr nc, ending_wait
    jp title
