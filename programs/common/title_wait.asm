; SPDX-License-Identifier: GPL-3.0-or-later

; The title stays until space is pressed. `title_frame` is the game's: one frame, carry if space is held.

    ; A space that ended the last game must not start the next one.
title_release:
    call title_frame
    jr c, title_release
title_wait:
    call title_frame
    jr nc, title_wait
    jp new_game
