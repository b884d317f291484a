"""The system calls a locked-down child may still make: an allow-list as raw BPF, without a library.

Comes in: the child's own pid. Goes out: a filter on this process. Linux on x86_64 and aarch64 only.
"""

import ctypes
import platform
import struct
from collections.abc import Callable
from dataclasses import dataclass
from errno import EPERM

from quire.actors.sandbox.prctl import prctl

ALLOWED: dict[str, tuple[int, int]] = {
    "read": (0, 63), "write": (1, 64), "close": (3, 57), "fstat": (5, 80), "lseek": (8, 62), "pread64": (17, 67),
    "munmap": (11, 215), "brk": (12, 214), "mremap": (25, 216), "madvise": (28, 233), "futex": (202, 98),
    "rt_sigaction": (13, 134), "rt_sigprocmask": (14, 135), "rt_sigreturn": (15, 139), "sigaltstack": (131, 132),
    "sched_yield": (24, 124), "getpid": (39, 172), "gettid": (186, 178), "clock_gettime": (228, 113),
    "gettimeofday": (96, 169), "clock_nanosleep": (230, 115), "getrandom": (318, 278), "getrusage": (98, 165),
    "recvmsg": (47, 212), "exit": (60, 93), "exit_group": (231, 94), "restart_syscall": (219, 128),
}  # fmt: skip
"""Name → number on (x86_64, aarch64). Most used: pread64, recvmsg, write, brk, mmap, munmap, futex, prlimit64."""

CONDITIONAL: dict[str, tuple[int, int]] = {
    "mmap": (9, 222), "mprotect": (10, 226), "prlimit64": (302, 261), "kill": (62, 129), "tgkill": (234, 131),
}  # fmt: skip
"""Allowed for some arguments: no executable memory, own limits only, signals to itself only (abort() needs one)."""

KILLED: dict[str, tuple[int, int]] = {
    "socket": (41, 198), "execve": (59, 221), "execveat": (322, 281), "clone": (56, 220), "clone3": (435, 435),
    "ptrace": (101, 117), "process_vm_readv": (310, 270), "process_vm_writev": (311, 271), "bpf": (321, 280),
    "io_uring_setup": (425, 425), "mount": (165, 40), "unshare": (272, 97), "setns": (308, 268),
    "userfaultfd": (323, 282), "keyctl": (250, 219), "perf_event_open": (298, 241),
}  # fmt: skip
"""No reader has a reason to try these: SIGSYS, and an alarm in the parent. Everything else is EPERM."""

RET_ALLOW, RET_ERRNO, RET_KILL = 0x7FFF0000, 0x00050000, 0x80000000  # verdicts of linux/seccomp.h
LOAD, EQUALS, AT_LEAST, ANY_BIT, RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
"""Opcodes of classic BPF: ld abs, jeq, jge, jset, ret."""
_NUMBER, _ARCH, _ARGS = 0, 4, 16  # byte offsets in struct seccomp_data
_PROT_EXEC = 4  # bit of mmap and mprotect that makes memory executable
_X32 = 0x40000000  # bit of a system call number that names the x32 table, refused whole
_ROW = struct.Struct("=HBBI")  # struct sock_filter
_PR_SET_SECCOMP, _MODE_FILTER = 22, 2  # prctl option and mode of a filter

Instruction = tuple[int, int, int, int]


@dataclass(frozen=True, slots=True)
class Machine:
    """`column` of the tables above, `audit` is the kernel's AUDIT_ARCH, `has_x32` a second set of call numbers."""

    column: int
    audit: int
    has_x32: bool


MACHINES = {
    "x86_64": Machine(0, 0xC000003E, True),
    "aarch64": Machine(1, 0xC00000B7, False),
}


def build_program(machine: Machine, pid: int) -> list[Instruction]:
    """Return the filter as (code, jump if true, jump if false, k) rows."""
    deny = RET_ERRNO | EPERM
    program: list[Instruction] = [
        (LOAD, 0, 0, _ARCH), (EQUALS, 1, 0, machine.audit), (RETURN, 0, 0, RET_KILL), (LOAD, 0, 0, _NUMBER),
    ]  # fmt: skip
    if machine.has_x32:
        program += [(AT_LEAST, 0, 1, _X32), (RETURN, 0, 0, RET_KILL)]
    for numbers in ALLOWED.values():
        program += [(EQUALS, 0, 1, numbers[machine.column]), (RETURN, 0, 0, RET_ALLOW)]
    for name, numbers in CONDITIONAL.items():
        block = _condition(name, pid, deny)
        program += [(EQUALS, 0, len(block), numbers[machine.column]), *block]
    for numbers in KILLED.values():
        program += [(EQUALS, 0, 1, numbers[machine.column]), (RETURN, 0, 0, RET_KILL)]
    return [*program, (RETURN, 0, 0, deny)]


def _condition(name: str, pid: int, deny: int) -> list[Instruction]:
    argument, test, when_true, when_false = _TESTS[name](pid, deny)
    return [(LOAD, 0, 0, _ARGS + 8 * argument), test, (RETURN, 0, 0, when_true), (RETURN, 0, 0, when_false)]


_Test = Callable[[int, int], tuple[int, Instruction, int, int]]


def _not_executable(pid: int, deny: int) -> tuple[int, Instruction, int, int]:
    return 2, (ANY_BIT, 0, 1, _PROT_EXEC), deny, RET_ALLOW


def _only_self(pid: int, deny: int) -> tuple[int, Instruction, int, int]:
    return 0, (EQUALS, 0, 1, pid), RET_ALLOW, deny


def _only_zero(pid: int, deny: int) -> tuple[int, Instruction, int, int]:
    return 0, (EQUALS, 0, 1, 0), RET_ALLOW, deny


_TESTS: dict[str, _Test] = {
    "mmap": _not_executable,
    "mprotect": _not_executable,
    "prlimit64": _only_zero,
    "kill": _only_self,
    "tgkill": _only_self,
}


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("instructions", ctypes.c_void_p))


def install_filter(pid: int) -> bool:
    """Put the filter on this process (no_new_privs must be set). False where this machine has no table."""
    machine = MACHINES.get(platform.machine())
    if machine is None:
        return False
    program = build_program(machine, pid)
    instructions = ctypes.create_string_buffer(b"".join(_ROW.pack(*row) for row in program))
    packed = _Program(len(program), ctypes.addressof(instructions))
    prctl(_PR_SET_SECCOMP, _MODE_FILTER, ctypes.addressof(packed))
    return True
