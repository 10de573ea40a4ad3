# SPDX-License-Identifier: GPL-3.0-or-later
"""Every opcode against the SingleStepTests: registers, MEMPTR, Q, memory, and what is on the bus at each T-state."""

import gzip
import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Case = dict[str, Any]

# Register pairs that the data holds as two bytes.
_PAIRS = ("af", "bc", "de", "hl")
_WORDS = ["pc", "sp", "af", "bc", "de", "hl", "af_", "bc_", "de_", "hl_", "ix", "iy", "wz"]
_BYTES = ["i", "r", "q", "im", "iff1", "iff2"]
_NAMES = [*_WORDS, *_BYTES, "halted"]
_HALTS = ("76", "dd 76", "fd 76")


def _registers(state: dict[str, int]) -> dict[str, int]:
    def value(name: str) -> int:
        return state[name[0]] * 256 + state[name[1]] if name in _PAIRS else state[name]

    return {name: value(name) for name in [*_WORDS, *_BYTES]}


def _addresses(case: Case) -> list[int]:
    return sorted({address for state in ("initial", "final") for address, _ in case[state]["ram"]})


def _question(case: Case) -> str:
    memory = dict(case["initial"]["ram"])
    addresses = _addresses(case)
    inputs = [value for _, value, kind in case.get("ports", []) if kind == "r"]
    numbers = [*_registers(case["initial"]).values(), 0, len(addresses)]
    for address in addresses:
        numbers += [address, memory.get(address, 0)]
    return " ".join(map(str, [*numbers, len(inputs), *inputs]))


def _expected(case: Case, opcode: str) -> list[str]:
    final = case["final"]
    memory = dict(final["ram"])
    addresses = _addresses(case)
    registers = [*_registers(final).values(), int(opcode in _HALTS)]
    answer = [*registers, final["ei"], final["p"], len(addresses), *(memory[address] for address in addresses)]
    answer.append(len(case["cycles"]))
    for address, data, pins in case["cycles"]:
        answer += [address, -1 if data is None else data, pins]
    return [str(item) for item in answer]


def _ports(answer: list[str], num_addresses: int) -> list[list[Any]]:
    """The port accesses in a runner's answer, as the data lists them."""
    cycles = answer[len(_NAMES) + 4 + num_addresses :]
    triples = [cycles[k : k + 3] for k in range(0, len(cycles), 3)]
    ports: list[list[Any]] = []
    for k, (address, data, pins) in enumerate(triples):
        if pins == "-w-i":
            ports.append([int(address), int(data), "w"])
        elif pins == "r--i":
            ports.append([int(address), int(triples[k + 1][1]), "r"])
    return ports


def _differences(case: Case, expected: list[str], answer: list[str]) -> str:
    names = [*_NAMES, "ei", "p", "n", *(f"({address})" for address in _addresses(case)), "num_cycles"]
    names += [f"cycle {k // 3}[{k % 3}]" for k in range(max(len(expected), len(answer)))]
    pairs = zip(names, expected, answer, strict=False)
    return f"{case['name']}: " + ", ".join(f"{name} is {got}, not {want}" for name, want, got in pairs if want != got)


@pytest.fixture(scope="module")
def cases(shared_data: Path) -> dict[str, list[Case]]:
    with gzip.open(shared_data / "z80-single-step-10.json.gz", "rt", encoding="utf-8") as file:
        loaded: dict[str, list[Case]] = json.load(file)
    return loaded


@pytest.fixture(scope="module")
def answers(cases: dict[str, list[Case]], cpp_build: Callable[[str], Path]) -> list[str]:
    """The runner's answers, one process for all cases."""
    questions = "\n".join(_question(case) for group in cases.values() for case in group)
    runner = cpp_build("asan") / "single_step_runner"
    done = subprocess.run([runner], input=questions + "\n", capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-4000:]
    return done.stdout.splitlines()


def test_the_data_is_complete(cases: dict[str, list[Case]]) -> None:
    assert sum(map(len, cases.values())) == 16_040


def test_every_case_agrees(cases: dict[str, list[Case]], answers: list[str]) -> None:
    flat = [(opcode, case) for opcode, group in cases.items() for case in group]
    assert len(answers) == len(flat)
    wrong = []
    for (opcode, case), line in zip(flat, answers, strict=True):
        expected, answer = _expected(case, opcode), line.split()
        if expected != answer or _ports(answer, len(_addresses(case))) != case.get("ports", []):
            wrong.append(_differences(case, expected, answer))
    assert not wrong, f"{len(wrong)} cases differ, the first ones:\n" + "\n".join(wrong[:40])
