# SPDX-License-Identifier: GPL-3.0-or-later
"""Machines and blocks of .szx files by name."""

__all__ = ["HARDWARE", "MACHINES", "OTHER_MACHINES", "PASSIVE", "SWITCHED"]

MACHINES = {1: "48k", 2: "128k", 3: "plus2"}
"""Those that are emulated."""

OTHER_MACHINES = {
    0: "a 16K",
    4: "a +2A",
    5: "a +3",
    6: "a +3e",
    7: "a Pentagon 128",
    8: "a Timex TC2048",
    9: "a Timex TC2068",
    10: "a Scorpion",
    11: "a ZX Spectrum SE",
    12: "a Timex TS2068",
    13: "a Pentagon 512",
    14: "a Pentagon 1024",
    15: "a 48K for NTSC",
    16: "a 128Ke",
}

HARDWARE = {
    "+3": "a +3 disk controller",
    "ATRP": "a ZXATASP interface",
    "B128": "a Beta 128 disk interface (TR-DOS)",
    "CFRP": "a ZXCF interface",
    "DIDE": "a DivIDE interface",
    "DIRP": "a DivIDE interface",
    "DMMC": "a DivMMC interface",
    "DMRP": "a DivMMC interface",
    "DOCK": "a Timex dock",
    "IF1": "an Interface 1",
    "IF2R": "a cartridge in its Interface 2",
    "MFCE": "a Multiface",
    "OPUS": "an Opus Discovery disk interface",
    "PLSD": "a +D disk interface",
    "ROM": "a ROM of its own",
    "SCLD": "the video chip of a Timex",
    "SNEF": "a Spectranet interface",
    "SNER": "a Spectranet interface",
    "SNET": "a Spectranet interface",
    "USPE": "a Currah uSpeech",
    "ZXAT": "a ZXATASP interface",
    "ZXCF": "a ZXCF interface",
}
"""What changes the memory of the machine, so that its programs may do other things without it."""

SWITCHED = {"B128": 1, "IF1": 1}
"""The bit of the first byte that says whether it is connected, where the format has one."""

PASSIVE = {
    "AMXM": "a mouse",
    "COVX": "a Covox",
    "DRUM": "a SpecDrum",
    "DSK": "a disk",
    "GS": "a General Sound card",
    "GSRP": "a General Sound card",
    "MDRV": "a microdrive cartridge",
    "PLTT": "an ULAplus palette",
    "SIDE": "a Simple IDE interface",
    "TAPE": "a tape in its recorder",
    "ZXPR": "a printer",
    "ZMMC": "a ZXMMC card",
}
"""What hangs on the machine without changing its memory."""
