# SPDX-License-Identifier: GPL-3.0-or-later
"""Loaders of our own for tests, assembled by hand at 0x8000: they load bytes to 0x9000 and stop at DONE."""

__all__ = ["DONE", "FAILED", "TARGET", "counting_loader", "turbo_loader"]

TARGET = 0x9000
DONE = 0x8005
"""JR $ after everything was loaded and the parity was right."""
FAILED = 0x8003
"""JR $ otherwise."""


def turbo_loader(length: int) -> bytes:
    """Faster than the ROM: pilot of 1500 T, sync 400 and 500, a 0 of 2 x 400 T, a 1 of 2 x 800 T; border stripes.

    Its edge loop is that of the ROM (59 T), but in RAM.
    """
    # fmt: off
    return bytes([
        0x18, 0x05,              # 8000 JR start
        0x00,                    # 8002 NOP
        0x18, 0xFE,              # 8003 failed: JR $
        0x18, 0xFE,              # 8005 done: JR $
        # start:
        0xF3,                    # 8007 DI
        0xDD, 0x21, TARGET & 0xFF, TARGET >> 8,      # 8008 LD IX,target
        0x11, length & 0xFF, length >> 8,            # 800C LD DE,length
        0xDB, 0xFE,              # 800F IN A,(FE)
        0x1F,                    # 8011 RRA
        0xE6, 0x20,              # 8012 AND 20
        0x4F,                    # 8014 LD C,A
        # again:
        0x26, 0x00,              # 8015 LD H,0          pilot pulses heard
        # pilot:
        0x06, 0x00,              # 8017 LD B,0
        0xCD, 0x60, 0x80,        # 8019 CALL edge
        0x30, 0xF7,              # 801C JR NC,again
        0x78,                    # 801E LD A,B
        0xFE, 0x0F,              # 801F CP 15           shorter than a pilot pulse?
        0x38, 0x06,              # 8021 JR C,short
        0x24,                    # 8023 INC H
        0x20, 0xF1,              # 8024 JR NZ,pilot
        0x25,                    # 8026 DEC H
        0x18, 0xEE,              # 8027 JR pilot
        # short:
        0x7C,                    # 8029 LD A,H
        0xFE, 0xC0,              # 802A CP 192
        0x38, 0xE7,              # 802C JR C,again
        0x06, 0x00,              # 802E LD B,0          the second half of the sync
        0xCD, 0x60, 0x80,        # 8030 CALL edge
        0x30, 0xCE,              # 8033 JR NC,failed
        0x26, 0x00,              # 8035 LD H,0          parity
        # byte:
        0x2E, 0x01,              # 8037 LD L,1
        # bit:
        0x06, 0x00,              # 8039 LD B,0
        0xCD, 0x60, 0x80,        # 803B CALL edge
        0xD4, 0x03, 0x80,        # 803E CALL NC,failed
        0xCD, 0x60, 0x80,        # 8041 CALL edge
        0xD4, 0x03, 0x80,        # 8044 CALL NC,failed
        0x3E, 0x11,              # 8047 LD A,17         the limit between 0 and 1
        0xB8,                    # 8049 CP B
        0xCB, 0x15,              # 804A RL L
        0x30, 0xEB,              # 804C JR NC,bit
        0x7C,                    # 804E LD A,H
        0xAD,                    # 804F XOR L
        0x67,                    # 8050 LD H,A
        0xDD, 0x75, 0x00,        # 8051 LD (IX+0),L     the parity byte, too
        0xDD, 0x23,              # 8054 INC IX
        0x7A,                    # 8056 LD A,D
        0xB3,                    # 8057 OR E
        0x28, 0x1C,              # 8058 JR Z,parity
        0x1B,                    # 805A DEC DE
        0x18, 0xDA,              # 805B JR byte
        0x00, 0x00, 0x00,        # 805D
        # edge:
        0x04,                    # 8060 INC B
        0xC8,                    # 8061 RET Z
        0x3E, 0x7F,              # 8062 LD A,7F
        0xDB, 0xFE,              # 8064 IN A,(FE)
        0x1F,                    # 8066 RRA
        0xD0,                    # 8067 RET NC
        0xA9,                    # 8068 XOR C
        0xE6, 0x20,              # 8069 AND 20
        0x28, 0xF3,              # 806B JR Z,edge
        0x79,                    # 806D LD A,C
        0x2F,                    # 806E CPL
        0x4F,                    # 806F LD C,A
        0xE6, 0x07,              # 8070 AND 7
        0xD3, 0xFE,              # 8072 OUT (FE),A
        0x37,                    # 8074 SCF
        0xC9,                    # 8075 RET
        # parity:
        0x7C,                    # 8076 LD A,H
        0xB7,                    # 8077 OR A
        0xCA, 0x05, 0x80,        # 8078 JP Z,done
        0xC3, 0x03, 0x80,        # 807B JP failed
    ])
    # fmt: on


def counting_loader(length: int) -> bytes:
    """Another kind: no calls, a level in D, E counting down, through IN r,(C), and every bit is one pulse.

    It waits for silence of 256 turns (a pause), then the first pulse is the first bit: 0 is 500 T, 1 is 1000 T.
    """
    # fmt: off
    return bytes([
        0x18, 0x05,              # 8000 JR start
        0x00,                    # 8002 NOP
        0x18, 0xFE,              # 8003 failed: JR $
        0x18, 0xFE,              # 8005 done: JR $
        # start:
        0xF3,                    # 8007 DI
        0x21, TARGET & 0xFF, TARGET >> 8,            # 8008 LD HL,target
        0xDD, 0x21, length & 0xFF, length >> 8,      # 800B LD IX,length
        0x01, 0xFE, 0xFF,        # 800F LD BC,FFFE
        0x16, 0x00,              # 8012 LD D,0          the tape is low in a pause
        # silence: wait until the first rise
        0xED, 0x78,              # 8014 IN A,(C)
        0xE6, 0x40,              # 8016 AND 40
        0xBA,                    # 8018 CP D
        0x28, 0xF9,              # 8019 JR Z,silence
        0x57,                    # 801B LD D,A
        # byte:
        0x36, 0x01,              # 801C LD (HL),1
        # bit:
        0x1E, 0x80,              # 801E LD E,80
        # wait:
        0x1D,                    # 8020 DEC E
        0xCA, 0x03, 0x80,        # 8021 JP Z,failed
        0xED, 0x78,              # 8024 IN A,(C)
        0xE6, 0x40,              # 8026 AND 40
        0xBA,                    # 8028 CP D
        0x28, 0xF5,              # 8029 JR Z,wait
        0x57,                    # 802B LD D,A
        0x7B,                    # 802C LD A,E
        0xFE, 0x74,              # 802D CP 74           carry: many turns, a 1
        0xCB, 0x16,              # 802F RL (HL)
        0x30, 0xEB,              # 8031 JR NC,bit
        0x23,                    # 8033 INC HL
        0xDD, 0x2B,              # 8034 DEC IX
        0xDD, 0x7C,              # 8036 LD A,IXH
        0xDD, 0xB5,              # 8038 OR IXL
        0x20, 0xE0,              # 803A JR NZ,byte
        0xC3, 0x05, 0x80,        # 803C JP done
    ])
    # fmt: on
