# SPDX-License-Identifier: GPL-3.0-or-later
"""Whole loads: at once, edge by edge, and by SkoolKit's simulation must come to the same."""

from pathlib import Path

import pytest
from custom_loaders import DONE, TARGET, counting_loader, turbo_loader
from loading_cases import PAYLOAD, loaded, memory, parity, turbo_file, with_loader
from skoolkit import tap2sna
from skoolkit.tape import write_pzx
from tape_maker import (
    LOOP_END,
    data,
    level,
    loop,
    pause,
    program_blocks,
    puls,
    pulses,
    pure_data,
    pzx,
    standard,
    text,
    tone,
    turbo,
    tzx,
)

from oakemu_rl.emulator import Spectrum, Tape, TapeBlock, load_tape, parse_tap, parse_tape, read_tape
from oakemu_rl.emulator.snapshots import read_snapshot
from oakemu_rl.emulator.tapes import Progress, compile_tape, tap_bytes
from oakemu_rl.errors import UserError
from oakemu_rl.games import load_game


def one_pulse_bits(content: bytes) -> bytes:
    """A rise, then a pulse of 500 or 1000 T for each bit."""
    lengths = [1000 if byte >> (7 - bit) & 1 else 500 for byte in content for bit in range(8)]
    return b"".join(pulses(*lengths[i : i + 255]) for i in range(0, len(lengths), 255))


def skoolkit_load(file: bytes, folder: Path, suffix: str, *options: str) -> bytes:
    """What is in RAM after SkoolKit's simulated load."""
    path = folder / f"tape{suffix}"
    path.write_bytes(file)
    out = folder / "out.szx"
    settings = [argument for option in options for argument in ("-c", option)]
    tap2sna.main([*settings, str(path), str(out)])
    banks = read_snapshot(out).banks
    return banks[5] + banks[2] + banks[0]


# The ROM's format


@pytest.mark.parametrize("machine", ["48k", "128k", "plus2"])
@pytest.mark.parametrize("fast", [True, False])
def test_a_standard_tape_loads_and_runs(machine: str, fast: bool) -> None:  # noqa: FBT001 - parametrized
    game = load_game("acorns")
    spectrum = loaded(game.program, fast=fast, machine=machine)
    assert spectrum.run_until(0x8000, 50) == 0x8000 or not fast
    code = parse_tap(game.program).blocks[3].data
    own = {k for k, byte in enumerate(code) if spectrum.peek(0x8000 + k) != byte}
    assert not own if fast else len(own) < 200  # edge by edge the game already runs, and uses its variables


def test_skoolkit_loads_the_same_from_a_standard_tape(tmp_path: Path) -> None:
    code = bytes([0xF3, 0x18, 0xFE]) + PAYLOAD  # DI; JR $
    file = tap_bytes(Tape("t", program_blocks(code)))
    for options in ([], ["fast-load=0", "cmio=1"]):
        theirs = skoolkit_load(file, tmp_path, ".tap", *options)
        for fast in (True, False):
            spectrum = loaded(file, fast=fast)
            spectrum.run_frames(60)
            ours = bytes(spectrum.memory)
            assert ours[0x4000:][: len(code)] == theirs[0x4000:][: len(code)] == code
            basic = slice(0x5CCB - 0x4000, 0x5CCB - 0x4000 + 36)
            assert ours[basic] == theirs[basic]


def test_a_tape_in_pzx_and_tzx_loads_as_the_tap(tmp_path: Path) -> None:
    code = bytes([0xF3, 0x18, 0xFE]) + PAYLOAD
    blocks = program_blocks(code)
    tap = tap_bytes(Tape("t", blocks))
    write_pzx(tmp_path / "t.pzx", [block.content for block in blocks])
    files = {"tzx": tzx(*(standard(b.content) for b in blocks)), "pzx": (tmp_path / "t.pzx").read_bytes()}
    for file in files.values():
        assert tap_bytes(parse_tape(file)) == tap
        assert loaded(file, fast=True).save_state() == loaded(tap, fast=True).save_state()
    slow = {name: loaded(file, fast=False).registers.pc for name, file in files.items()}
    assert set(slow.values()) <= {0x8001, 0x8002}


# Loaders of games


@pytest.mark.parametrize("fast", [True, False])
@pytest.mark.parametrize("contention", [True, False])
def test_a_turbo_loader_gets_its_bytes(*, fast: bool, contention: bool) -> None:
    spectrum = Spectrum(contention=contention)
    load_tape(spectrum, parse_tape(turbo_file()), fast=fast)
    assert memory(spectrum, TARGET, len(PAYLOAD)) == PAYLOAD
    assert spectrum.run_until(DONE, 5) == DONE


@pytest.mark.parametrize("machine", ["128k", "plus2"])
def test_a_turbo_loader_gets_its_bytes_on_a_128k(machine: str) -> None:
    assert memory(loaded(turbo_file(), fast=True, machine=machine), TARGET, len(PAYLOAD)) == PAYLOAD


def test_skoolkit_loads_the_same_by_a_turbo_loader(tmp_path: Path) -> None:
    theirs = skoolkit_load(turbo_file(), tmp_path, ".tzx", "cmio=1")
    assert theirs[TARGET - 0x4000 :][: len(PAYLOAD)] == PAYLOAD
    ours = bytes(loaded(turbo_file(), fast=True).memory)
    end = TARGET - 0x4000 + len(PAYLOAD)  # SkoolKit stops at the last edge, before the parity byte is there
    assert ours[0x4000:end] == theirs[0x4000:end]


@pytest.mark.parametrize(
    "blocks",
    [
        [pause(100), tone(1, 1), one_pulse_bits(PAYLOAD[:60])],
        [pause(100), level(1), one_pulse_bits(PAYLOAD[:60]), text(b"the end")],
        [pause(100), loop(2), pulses(), LOOP_END, pulses(1), one_pulse_bits(PAYLOAD[:60])],
    ],
)
def test_a_loader_with_an_edge_loop_of_its_own_gets_its_bytes(blocks: list[bytes]) -> None:
    spectrum = loaded(with_loader(counting_loader(60), *blocks), fast=True)
    assert memory(spectrum, TARGET, 60) == PAYLOAD[:60]
    assert spectrum.run_until(DONE, 5) == DONE


def test_pulses_in_a_loop_are_bits() -> None:
    # The 8 pulses of a byte 0xA5, 20 times, in a tape that names them once.
    bits = pulses(*[1000 if 0xA5 >> (7 - bit) & 1 else 500 for bit in range(8)])
    file = with_loader(counting_loader(20), pause(100), level(1), loop(20), bits, LOOP_END)
    assert memory(loaded(file, fast=True), TARGET, 20) == b"\xa5" * 20


def test_a_pzx_file_feeds_a_turbo_loader() -> None:
    content = PAYLOAD + bytes([parity(PAYLOAD)])
    blocks: list[bytes] = []
    for block in program_blocks(turbo_loader(len(PAYLOAD))):
        pilot = 8063 if block.flag < 128 else 3223
        blocks += [
            puls((pilot, 2168), (1, 667), (1, 735)),
            data(block.content),
            b"PAUS\x04\0\0\0" + (3_500_000).to_bytes(4, "little"),
        ]
    blocks += [puls((1500, 1500), (1, 400), (1, 500)), data(content, zero=(400, 400), one=(800, 800), start=0)]
    spectrum = loaded(pzx(*blocks), fast=True)
    assert memory(spectrum, TARGET, len(PAYLOAD)) == PAYLOAD
    assert spectrum.run_until(DONE, 5) == DONE


def test_data_split_over_blocks_without_pauses_keeps_its_edges() -> None:
    # B41: the edge between two 0x14 blocks is neither lost nor doubled.
    content = PAYLOAD[:100] + bytes([parity(PAYLOAD[:100])])
    head = [tone(1500, 1500), pulses(400, 500)]
    halves = [pure_data(content[:37], 400, 800), pure_data(content[37:], 400, 800, pause=1000)]
    spectrum = loaded(with_loader(turbo_loader(100), *head, *halves), fast=True)
    assert memory(spectrum, TARGET, 100) == PAYLOAD[:100]
    assert spectrum.run_until(DONE, 5) == DONE


def test_a_tape_that_stops_waits_until_somebody_listens() -> None:
    # B41: the stop stands between the loader and its data; the loader is what asks for more.
    content = PAYLOAD[:50] + bytes([parity(PAYLOAD[:50])])
    block = turbo(content, pilot=1500, pulses=1500, sync=(400, 500), zero=400, one=800)
    spectrum = loaded(with_loader(turbo_loader(50), pause(0), block), fast=True)
    assert memory(spectrum, TARGET, 50) == PAYLOAD[:50]


def test_a_tape_with_more_behind_a_stop_counts_as_loaded() -> None:
    spectrum = Spectrum()
    level_data = TapeBlock.from_data(0xFF, b"level 2")
    code = bytes([0xF3, 0x18, 0xFE])
    file = tzx(*(standard(b.content) for b in program_blocks(code)), pause(0), standard(level_data.content))
    load_tape(spectrum, parse_tape(file), max_frames=100)
    assert spectrum.registers.pc == 0x8001
    with pytest.raises(UserError, match="has not asked for block 5 of 5"):
        load_tape(spectrum, parse_tape(file.replace(b"\x20\x00\x00", b"")), max_frames=100)


def test_until_is_where_a_load_may_end() -> None:
    spectrum = Spectrum()
    load_tape(spectrum, parse_tape(turbo_file()), until=0x8007)
    assert spectrum.registers.pc == 0x8007
    assert memory(spectrum, TARGET, 4) == bytes(4)


def test_progress_is_told() -> None:
    told: list[Progress] = []
    load_tape(Spectrum(), parse_tape(turbo_file(), "t"), progress=told.append)
    positions = [progress.position for progress in told]
    assert positions == sorted(positions)
    assert {progress.block for progress in told} == {1, 2, 3, 4, 5}
    assert told[-1].position > 0.9 * told[-1].duration
    assert told[-1].blocks == 5


def test_a_machine_in_the_middle_of_a_tape_can_be_saved_and_forked() -> None:
    program = compile_tape(parse_tape(turbo_file()))
    one = Spectrum()
    machine = one._machine
    one.run_until(0x15D4, 200)
    machine.insert_tape(program.core)
    one.type_keys("j", "sym+p", "sym+p", "enter")
    machine.play_tape()
    one.run_frames(200)
    twin = one.fork()
    state = one.save_state()
    other = Spectrum()
    other._machine.insert_tape(program.core)
    other.load_state(state)
    for spectrum in (one, twin, other):
        spectrum.run_frames(500)
    assert one.save_state() == twin.save_state() == other.save_state()
    assert machine.tape_playing


def test_read_tape_takes_what_the_content_says(tmp_path: Path) -> None:
    path = tmp_path / "wrong.sna"
    path.write_bytes(turbo_file())
    assert len(read_tape(path).blocks) == 5
