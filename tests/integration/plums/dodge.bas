REM SPDX-License-Identifier: GPL-3.0-or-later
REM Dodge, for tests of games new: its menu moves, and marks the line that was chosen, before 0 starts the game.
#include <keys.bas>
DIM mode, x, y, ex, ey, j, t AS UBYTE
DIM score AS ULONG
DIM lives AS UBYTE
DIM dice AS UINTEGER
SUB Frame
  ASM
    halt
  END ASM
  dice = dice * 25173 + 13849
END SUB
BORDER 0: PAPER 1: INK 6: CLS
menu:
CLS
PRINT AT 4, 10; "D O D G E"; AT 8, 8; "1 KEYBOARD"; AT 10, 8; "2 KEMPSTON"; AT 14, 8; "0 START GAME"
mode = 1
WHILE MULTIKEYS(KEY0) = 0
  Frame()
  t = t + 1
  PRINT AT 18, 4 + (t SHR 2) MOD 20; " @ ";
  IF MULTIKEYS(KEY1) <> 0 THEN mode = 1: PRINT AT 8, 8; INVERSE 1; "1 KEYBOARD"; AT 10, 8; INVERSE 0; "2 KEMPSTON"
  IF MULTIKEYS(KEY2) <> 0 THEN mode = 2: PRINT AT 8, 8; INVERSE 0; "1 KEYBOARD"; AT 10, 8; INVERSE 1; "2 KEMPSTON"
END WHILE
CLS
PRINT AT 10, 10; "GET READY"
FOR t = 1 TO 60
  Frame()
NEXT t
lives = 5: score = 0
CLS
x = 16: y = 18
ex = 5: ey = 1
WHILE lives > 0
  Frame()
  j = 0
  IF mode = 2 THEN j = IN(31)
  PRINT AT y, x; " ";
  IF (MULTIKEYS(KEYO) <> 0 OR (j BAND 2) <> 0) AND x > 0 THEN x = x - 1
  IF (MULTIKEYS(KEYP) <> 0 OR (j BAND 1) <> 0) AND x < 31 THEN x = x + 1
  IF (MULTIKEYS(KEYQ) <> 0 OR (j BAND 8) <> 0) AND y > 2 THEN y = y - 1
  IF (MULTIKEYS(KEYA) <> 0 OR (j BAND 4) <> 0) AND y < 21 THEN y = y + 1
  PRINT AT y, x; INK 4; "A";
  PRINT AT ey, ex; " ";
  ey = ey + 1
  IF ey > 21 THEN ey = 1: ex = (dice SHR 8) MOD 32: score = score + 150
  PRINT AT ey, ex; INK 2; "V";
  IF ex = x AND ey = y THEN lives = lives - 1: ey = 1: ex = (dice SHR 8) MOD 32
  PRINT AT 0, 0; "SC "; score; "  L "; lives;
END WHILE
GO TO menu
