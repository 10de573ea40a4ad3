# SPDX-License-Identifier: GPL-3.0-or-later
import pytest

from oakemu_rl.emulator import Spectrum

WORDS = ["af", "bc", "de", "hl", "af_", "bc_", "de_", "hl_", "ix", "iy", "sp", "pc", "memptr"]
HALVES = {"a": "af", "f": "af", "b": "bc", "c": "bc", "d": "de", "e": "de", "h": "hl", "l": "hl"}
LIMITS = (
    dict.fromkeys(WORDS, 0xFFFF)
    | dict.fromkeys([*HALVES, "i", "r", "q"], 0xFF)
    | {"im": 2, "iff1": 1, "iff2": 1, "halted": 1}
)


@pytest.mark.parametrize("name", LIMITS)
def test_a_register_takes_every_value_that_fits(name: str) -> None:
    registers = Spectrum().registers
    for value in (0, 1, LIMITS[name] // 3, LIMITS[name]):
        setattr(registers, name, value)
        assert getattr(registers, name) == value


@pytest.mark.parametrize("name", LIMITS)
@pytest.mark.parametrize("excess", [-1, 1, 1 << 40])
def test_a_value_that_does_not_fit_is_refused(name: str, excess: int) -> None:
    registers = Spectrum().registers
    value = excess if excess < 0 else LIMITS[name] + excess
    before = registers.as_dict()
    with pytest.raises(ValueError, match=f"{name} is {value}, allowed are 0 to {LIMITS[name]}"):
        setattr(registers, name, value)
    assert registers.as_dict() == before


def test_registers_are_distinct() -> None:
    registers = Spectrum().registers
    for number, name in enumerate(WORDS):
        setattr(registers, name, 0x1234 + number)
    assert [getattr(registers, name) for name in WORDS] == [0x1234 + number for number in range(len(WORDS))]


def test_halves_belong_to_their_pair() -> None:
    registers = Spectrum().registers
    registers.hl = 0x1234
    assert (registers.h, registers.l) == (0x12, 0x34)
    registers.h = 0xAB
    registers.l = 0xCD
    assert registers.hl == 0xABCD


def test_an_unknown_register_is_an_error() -> None:
    spectrum = Spectrum()
    with pytest.raises(AttributeError):
        spectrum.registers.xy = 1  # type: ignore[attr-defined]  # that is the point
    with pytest.raises(ValueError, match="unknown register 'xy', allowed are af, bc,"):
        spectrum._machine.get_register("xy")


def test_the_repr_shows_every_register() -> None:
    registers = Spectrum().registers
    registers.ix = 0xBEEF
    text = repr(registers)
    assert "ix=0xBEEF" in text
    assert all(f"{name}=" in text for name in LIMITS if name not in HALVES)


def test_the_machine_computes_with_them() -> None:
    spectrum = Spectrum()
    spectrum.write_block(0x8000, bytes([0x09]))  # ADD HL,BC
    spectrum.registers.hl, spectrum.registers.bc, spectrum.registers.pc = 0x1200, 0x0034, 0x8000
    spectrum.run_tstates(1)
    assert (spectrum.registers.hl, spectrum.registers.pc, spectrum.t) == (0x1234, 0x8001, 11)
