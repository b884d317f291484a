"""The filter's decisions, simulated for both machines: arm64 is guarded here although no test runs on it."""

import struct
from errno import EPERM
from pathlib import Path

import pytest

from quire.actors.sandbox.seccomp import (
    ALLOWED,
    ANY_BIT,
    AT_LEAST,
    CONDITIONAL,
    EQUALS,
    KILLED,
    LOAD,
    MACHINES,
    RET_ALLOW,
    RET_ERRNO,
    RET_KILL,
    RETURN,
    Instruction,
    Machine,
    build_program,
)

PID = 4711
DENIED = RET_ERRNO | EPERM


def run_filter(program: list[Instruction], audit: int, number: int, *arguments: int) -> int:
    """Return the kernel's decision on this call under the filter."""
    call = struct.pack("=IIQ6Q", number, audit, 0, *arguments, *[0] * (6 - len(arguments)))
    at, loaded = 0, 0
    while True:
        code, if_true, if_false, operand = program[at]
        at += 1
        match code:
            case c if c == LOAD:
                loaded = struct.unpack_from("=I", call, operand)[0]
            case c if c == RETURN:
                return operand
            case c if c == EQUALS:
                at += if_true if loaded == operand else if_false
            case c if c == AT_LEAST:
                at += if_true if loaded >= operand else if_false
            case c if c == ANY_BIT:
                at += if_true if loaded & operand else if_false
            case other:
                raise AssertionError(other)


@pytest.fixture(params=sorted(MACHINES))
def machine(request: pytest.FixtureRequest) -> Machine:
    return MACHINES[request.param]


def test_calls_are_allowed_killed_or_refused_as_the_tables_say(machine: Machine) -> None:
    program = build_program(machine, PID)
    allowed = {numbers[machine.column] for numbers in ALLOWED.values()}
    killed = {numbers[machine.column] for numbers in KILLED.values()}
    conditional = {numbers[machine.column] for numbers in CONDITIONAL.values()}
    for number in range(600):
        if number not in conditional:
            expected = RET_ALLOW if number in allowed else RET_KILL if number in killed else DENIED
            assert run_filter(program, machine.audit, number) == expected, number


def test_memory_may_not_become_executable(machine: Machine) -> None:
    program = build_program(machine, PID)
    for name in ("mmap", "mprotect"):
        number = CONDITIONAL[name][machine.column]
        assert run_filter(program, machine.audit, number, 0, 4096, 3) == RET_ALLOW
        assert run_filter(program, machine.audit, number, 0, 4096, 7) == DENIED


def test_signals_and_limits_reach_only_the_process_itself(machine: Machine) -> None:
    program = build_program(machine, PID)
    for name, own in (("kill", PID), ("tgkill", PID), ("prlimit64", 0)):
        number = CONDITIONAL[name][machine.column]
        assert run_filter(program, machine.audit, number, own) == RET_ALLOW
        assert run_filter(program, machine.audit, number, 1) == DENIED
        assert run_filter(program, machine.audit, number, 0xFFFFFFFF) == DENIED


def test_another_architecture_is_killed(machine: Machine) -> None:
    program = build_program(machine, PID)
    assert run_filter(program, 0x40000003, 0) == RET_KILL


def test_the_x32_calls_are_killed() -> None:
    machine = MACHINES["x86_64"]
    assert run_filter(build_program(machine, PID), machine.audit, 0x40000000) == RET_KILL


def test_the_numbers_are_the_kernels() -> None:
    tables = {
        0: Path("/usr/include/x86_64-linux-gnu/asm/unistd_64.h"),
        1: Path("/usr/include/asm-generic/unistd.h"),
    }
    for column, header in tables.items():
        if header.exists():
            defined = _read_numbers(header)
            for name, numbers in {**ALLOWED, **CONDITIONAL, **KILLED}.items():
                assert defined[name] == numbers[column], name


def _read_numbers(header: Path) -> dict[str, int]:
    numbers: dict[str, int] = {}
    for line in header.read_text().splitlines():
        words = line.split()
        if len(words) == 3 and words[0] == "#define" and words[1].startswith("__NR") and words[2].isdigit():
            numbers.setdefault(words[1].removeprefix("__NR3264_").removeprefix("__NR_"), int(words[2]))
    return numbers
