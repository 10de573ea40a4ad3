# SPDX-License-Identifier: GPL-3.0-or-later
"""From the blocks of a tape to what the core plays.

Levels are those of the formats' descriptions (TZX 1.20, PZX 1.0): each pulse is heard at the current level, which then
changes. A pause in milliseconds is 1 ms of the level that comes, then low; without a pause nothing changes. Before the
tape stops, or ends, the last level is heard for another 1 ms, so that a loader sees the last edge.
"""

from array import array
from dataclasses import replace

import numpy as np

from oakemu_rl._core import Tape as CoreTape
from oakemu_rl.emulator.tapes.blocks import (
    PILOT_FLAG_LIMIT,
    STANDARD,
    T_PER_MS,
    Block,
    DataBlock,
    GeneralizedBlock,
    LevelBlock,
    PauseBlock,
    PulsesBlock,
    RecordedBlock,
    SampledBlock,
    StopBlock,
    Symbol,
    TapeBlock,
    TurboBlock,
    UnplayableBlock,
)
from oakemu_rl.emulator.tapes.flow import LoopBegins, LoopEnds, Visit, play_order
from oakemu_rl.emulator.tapes.program import Part, Program
from oakemu_rl.emulator.tapes.standard import standard_content
from oakemu_rl.emulator.tapes.tape import Tape
from oakemu_rl.errors import UserError

__all__ = ["compile_tape"]

# As core/tape.hpp has them.
_REPEAT, _DATA, _PULSES, _SAMPLES, _HOLD, _LEVEL, _STOP, _STOP_48K, _LOOP_BEGIN, _LOOP_END = range(10)
_SILENT = (_HOLD, _LEVEL, _STOP, _STOP_48K)

_Segment = tuple[int, int, int, int, int]
"""Kind, bits, first, count, extra."""


def compile_tape(tape: Tape) -> Program:
    """Makes a tape playable.

    Raises:
        UserError: It would never end, a block is for other computers, or it is longer than 100 hours.
    """
    return _Compiler(tape).run()


class _Compiler:
    def __init__(self, tape: Tape) -> None:
        self._tape = tape
        self._segments: list[_Segment] = []
        self._symbols: list[tuple[int, int, int]] = []
        self._symbol_numbers: dict[tuple[Symbol, ...], int] = {}
        self._pulses = array("I")
        self._bytes = bytearray()
        self._compiled: dict[int, tuple[list[_Segment], list[_Segment]]] = {}
        self._parts: list[Part] = []

    def run(self) -> Program:
        order = play_order(self._tape)
        visits: list[int] = []  # those since the last silence, or what else keeps blocks from belonging together
        in_loop = False
        for step in order:
            if isinstance(step, LoopBegins):
                self._segments.append((_LOOP_BEGIN, 0, 0, step.times, 0))
                in_loop, visits = True, []
            elif isinstance(step, LoopEnds):
                self._segments.append((_LOOP_END, 0, 0, 0, 0))
                in_loop, visits = False, []
            else:
                visits = self._visit(step, visits, in_loop=in_loop)
        if self._parts:
            self._segments.append((_HOLD, 0, 0, T_PER_MS, 0))
            self._extend_last_part()
        kinds = [segment[0] for segment in self._segments]
        silent, stops = tuple(kind in _SILENT for kind in kinds), tuple(kind in (_STOP, _STOP_48K) for kind in kinds)
        parts = tuple(replace(part, silence=self._silence(part)) for part in self._parts)
        return Program(self._tape, self._make(), parts, silent, stops)

    def _visit(self, step: Visit, visits: list[int], *, in_loop: bool) -> list[int]:
        block = self._tape.blocks[step.index]
        if isinstance(block, UnplayableBlock):
            raise UserError(f"{self._tape.where(step.index)} is {block.kind}, which a ZX Spectrum cannot play")
        if step.index not in self._compiled:
            self._compiled[step.index] = self._compile(block)
        sound, silence = self._compiled[step.index]
        first = len(self._segments)
        self._segments += sound
        self._segments += silence
        if not sound:
            if silence and not isinstance(block, LevelBlock):  # which belongs to what comes
                self._extend_last_part()
            return [] if silence else visits
        visits = [*visits, step.index]
        content = standard_content([self._tape.blocks[index] for index in visits])
        if content is not None and len(visits) > 1:
            # Its pilot and sync were taken for parts of their own.
            while self._parts and self._parts[-1].blocks[0] in visits[:-1] and self._parts[-1].end == first:
                first = self._parts.pop().first
        blocks = tuple(visits) if content is not None else (step.index,)
        self._parts.append(Part(first, len(self._segments), blocks, content, in_loop))
        return [] if silence or content is not None else visits[-3:]

    def _extend_last_part(self) -> None:
        if self._parts:
            last = self._parts[-1]
            self._parts[-1] = replace(last, end=len(self._segments))

    def _silence(self, part: Part) -> int:
        duration = 0
        for kind, _, _, count, _ in reversed(self._segments[part.first : part.end]):
            if kind not in _SILENT:
                break
            duration += count if kind == _HOLD else 0
        return duration

    def _make(self) -> CoreTape:
        try:
            return CoreTape(
                np.array(self._segments, np.int64).reshape(-1, 5),
                np.array(self._symbols, np.int64).reshape(-1, 3),
                np.frombuffer(self._pulses, np.uint32) if self._pulses else np.zeros(0, np.uint32),
                bytes(self._bytes),
            )
        except ValueError as error:
            raise UserError(f"{self._tape.name}: {error}") from None

    # Blocks

    def _compile(self, block: Block) -> tuple[list[_Segment], list[_Segment]]:
        """What is heard of a block, and the silence behind it."""
        match block:
            case TapeBlock(content, pause):
                long = content[:1] < bytes([PILOT_FLAG_LIMIT])
                pulses = STANDARD.long_pilot_pulses if long else STANDARD.short_pilot_pulses
                head = [self._tone(STANDARD.pilot, pulses), self._list(STANDARD.sync)]
                return [*head, self._bits(content, 8 * len(content), STANDARD.zero, STANDARD.one)], _pause(pause)
            case TurboBlock(content, pilot, pilot_pulses, sync, zero, one, used, pause):
                bits = max(8 * len(content) - 8 + used, 0) if content else 0
                head = [self._tone(pilot, pilot_pulses), self._list(sync)]
                return [*head, self._bits(content, bits, zero, one)], _pause(pause)
            case PulsesBlock(runs, level):
                return [*_set_level(level), *self._runs(runs)], []
            case DataBlock():
                return self._data(block)
            case SampledBlock(samples, count, period, pause):
                return [(_SAMPLES, 0, self._add_bytes(samples), count, period)], _pause(pause)
            case RecordedBlock(pulses, _, _, pause):
                first = len(self._pulses)
                self._pulses.frombytes(np.frombuffer(pulses, "<u4").astype(np.uint32).tobytes())
                return [(_PULSES, 0, first, len(self._pulses) - first, 0)], _pause(pause)
            case GeneralizedBlock():
                return self._generalized(block), _pause(block.pause)
            case PauseBlock(duration, level):
                silence = _pause_t(duration) if level is None else [*_set_level(level), (_HOLD, 0, 0, duration, 0)]
                return [], silence
            case StopBlock(only_48k):
                return [], [(_HOLD, 0, 0, T_PER_MS, 0), (_STOP_48K if only_48k else _STOP, 0, 0, 0, 0)]
            case LevelBlock(level):
                return [], _set_level(level)
            case _:
                return [], []

    def _data(self, block: DataBlock) -> tuple[list[_Segment], list[_Segment]]:
        first = self._add_symbols((Symbol(0, block.zero), Symbol(0, block.one)))
        sound = [*_set_level(block.level), (_DATA, 1, self._add_bytes(block.content), block.count, first)]
        if block.tail:
            sound.append(self._tone(block.tail, 1))
        return sound, _pause(block.pause)

    def _generalized(self, block: GeneralizedBlock) -> list[_Segment]:
        sound: list[_Segment] = []
        if block.pilot:
            first = self._add_symbols(block.pilot_symbols)
            sound += [(_REPEAT, 0, first + symbol, times, 0) for symbol, times in block.pilot]
        if block.count:
            first = self._add_symbols(block.symbols)
            bits = block.bits_per_symbol
            if bits == 0:
                sound.append((_REPEAT, 0, first, block.count, 0))
            else:
                sound.append((_DATA, bits, self._add_bytes(block.content), block.count, first))
        return sound

    def _tone(self, length: int, count: int) -> _Segment:
        return (_REPEAT, 0, self._add_symbols((Symbol(0, (length,)),)), count, 0)

    def _list(self, pulses: tuple[int, ...]) -> _Segment:
        first = len(self._pulses)
        self._pulses.extend(pulses)
        return (_PULSES, 0, first, len(pulses), 0)

    def _runs(self, runs: tuple[tuple[int, int], ...]) -> list[_Segment]:
        segments: list[_Segment] = []
        single: list[int] = []
        for count, length in [*runs, (2, 0)]:
            if count == 1:
                single.append(length)
                continue
            if single:
                segments.append(self._list(tuple(single)))
                single = []
            segments.append(self._tone(length, count))
        return segments[:-1]

    def _bits(self, content: bytes, count: int, zero: int, one: int) -> _Segment:
        symbols = self._add_symbols((Symbol(0, (zero, zero)), Symbol(0, (one, one))))
        return (_DATA, 1, self._add_bytes(content), count, symbols)

    def _add_bytes(self, data: bytes) -> int:
        first = len(self._bytes)
        self._bytes += data
        return first

    def _add_symbols(self, symbols: tuple[Symbol, ...]) -> int:
        if symbols not in self._symbol_numbers:
            self._symbol_numbers[symbols] = len(self._symbols)
            for symbol in symbols:
                self._symbols.append((len(self._pulses), len(symbol.pulses), symbol.start))
                self._pulses.extend(symbol.pulses)
            if len(symbols) & (len(symbols) - 1):  # the core wants one for every value that the bits can have
                missing = (1 << len(symbols).bit_length()) - len(symbols)
                self._symbols += [(0, 0, 0)] * missing
        return self._symbol_numbers[symbols]


def _pause(milliseconds: int) -> list[_Segment]:
    return _pause_t(milliseconds * T_PER_MS)


def _pause_t(duration: int) -> list[_Segment]:
    if duration == 0:
        return []
    head = min(duration, T_PER_MS)
    return [(_HOLD, 0, 0, head, 0), (_LEVEL, 0, 0, 0, 0), (_HOLD, 0, 0, duration - head, 0)]


def _set_level(level: int | None) -> list[_Segment]:
    return [] if level is None else [(_LEVEL, 0, level, 0, 0)]
