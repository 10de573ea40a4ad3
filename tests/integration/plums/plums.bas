REM SPDX-License-Identifier: GPL-3.0-or-later
REM Plums, a game for docs/new-game.md and its test: catch what falls, miss three and it is over.
REM Compiled with Boriel's zxbc, which decides where the variables lie.
#include <keys.bas>

DIM score, best, dice AS UINTEGER
DIM lives, cart, plumx, plumy, turn, delay AS UBYTE

SUB Frame
  ASM
    halt
  END ASM
  dice = dice * 25173 + 13849
END SUB

SUB Status
  PRINT AT 0, 0; "SCORE "; score; "  "; AT 0, 12; "LIVES "; lives; AT 0, 22; "BEST "; best;
END SUB

SUB NewPlum
  plumx = 1 + (dice SHR 8) MOD 30
  plumy = 2
END SUB

BORDER 1: PAPER 0: INK 7: CLS
best = 0

title:
CLS
PRINT AT 8, 12; "P L U M S"; AT 12, 8; "O LEFT   P RIGHT"; AT 16, 8; "PRESS S TO START"
WHILE MULTIKEYS(KEYS) = 0
  Frame()
END WHILE

score = 0: lives = 3: cart = 14: turn = 0
CLS
NewPlum()
Status()
WHILE lives > 0
  Frame()
  IF MULTIKEYS(KEYO) <> 0 AND cart > 0 THEN PRINT AT 22, cart + 2; " ";: cart = cart - 1
  IF MULTIKEYS(KEYP) <> 0 AND cart < 29 THEN PRINT AT 22, cart; " ";: cart = cart + 1
  PRINT AT 22, cart; INK 6; "\:'\::\':";
  turn = turn + 1
  IF turn >= 3 THEN
    turn = 0
    PRINT AT plumy, plumx; " ";
    plumy = plumy + 1
    IF plumy = 22 THEN
      IF plumx >= cart AND plumx <= cart + 2 THEN
        score = score + 10
        IF score > best THEN best = score
        BEEP 0.02, 24
      ELSE
        lives = lives - 1
        BEEP 0.05, 0
      END IF
      NewPlum()
      Status()
    END IF
    PRINT AT plumy, plumx; INK 3; "O";
  END IF
END WHILE
PRINT AT 10, 11; "GAME  OVER"
FOR delay = 1 TO 100
  Frame()
NEXT delay
GO TO title
