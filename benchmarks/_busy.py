# SPDX-License-Identifier: GPL-3.0-or-later
"""Busy machine code: arithmetic, memory, stack and branches in uncontended RAM, no I/O, interrupts off."""

__all__ = ["AGAIN", "ORIGIN", "PASSES_AT", "program"]

ORIGIN = 0x8000
PASSES_AT = 0x8100  # a word: how many passes of the inner loop are still to do
_INNER = bytes.fromhex(
    "7E"  # loop: ld a,(hl)
    "83"  # add a,e
    "A9"  # xor c
    "07"  # rlca
    "12"  # ld (de),a
    "23"  # inc hl
    "13"  # inc de
    "E5"  # push hl
    "C5"  # push bc
    "78"  # ld a,b
    "E60F"  # and 15
    "B1"  # or c
    "FE20"  # cp 32
    "3002"  # jr nc,+2
    "D603"  # sub 3
    "8A"  # adc a,d
    "DD7705"  # ld (ix+5),a
    "CB5F"  # bit 3,a
    "CB3F"  # srl a
    "CB10"  # rl b
    "CBC6"  # set 0,(hl)
    "34"  # inc (hl)
    "C1"  # pop bc
    "E1"  # pop hl
    "EB"  # ex de,hl
    "09"  # add hl,bc
    "B7"  # or a
    "ED42"  # sbc hl,bc
    "EB"  # ex de,hl
    "0B"  # dec bc
    "D9"  # exx
    "7D"  # ld a,l
    "2F"  # cpl
    "6F"  # ld l,a
    "D9"  # exx
    "78"  # ld a,b
    "B1"  # or c
)
_SET_UP = bytes.fromhex(
    "F3"  # di
    "310090"  # ld sp,0x9000
    "DD2100A8"  # ld ix,0xA800
)
_TABLES = (0xA000, 0x200)  # where the inner loop writes, and how many rounds it makes


def _outer(target: int, rounds: int) -> bytes:
    return (
        bytes.fromhex("210092")  # outer: ld hl,0x9200
        + b"\x11"
        + target.to_bytes(2, "little")  # ld de,target
        + b"\x01"
        + rounds.to_bytes(2, "little")  # ld bc,rounds
    )


_LOOP = ORIGIN + len(_SET_UP) + len(_outer(*_TABLES))
_COUNT = (
    b"\xc2"
    + _LOOP.to_bytes(2, "little")  # jp nz,loop
    + bytes.fromhex(
        "2A0081"  # ld hl,(passes)
        "2B"  # dec hl
        "220081"  # ld (passes),hl
        "7C"  # ld a,h
        "B5"  # or l
    )
    + b"\xc2"
    + (ORIGIN + len(_SET_UP)).to_bytes(2, "little")  # jp nz,outer
)
AGAIN = ORIGIN + len(_SET_UP)  # where a pass begins
_STOP = _LOOP + len(_INNER) + len(_COUNT)


def program(passes: int, target: int = _TABLES[0], rounds: int = _TABLES[1]) -> dict[int, bytes]:
    """The program's memory: it reaches an endless jump, after so many passes of the inner loop.

    Args:
        passes: 1 to 65535, 0 for 65536, which no measurement sees the end of.
        target: First address that the inner loop writes to.
        rounds: How many addresses it writes to in each pass.

    Returns:
        Bytes by address.
    """
    code = _SET_UP + _outer(target, rounds) + _INNER + _COUNT + b"\xc3" + _STOP.to_bytes(2, "little")
    return {ORIGIN: code, PASSES_AT: (passes & 0xFFFF).to_bytes(2, "little")}
