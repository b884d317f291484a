"""Landlock as the second lock: every file right, TCP and scopes handled, no rule, so nothing is allowed.

Used where the kernel has it; seccomp alone already denies the same. The call numbers are one on every machine.
"""

import ctypes
import os

from quire.actors.sandbox.prctl import syscall

_CREATE_RULESET, _RESTRICT_SELF = 444, 446  # system call numbers, the same on x86-64 and arm64
_VERSION_QUERY = 1  # flag LANDLOCK_CREATE_RULESET_VERSION
_FILE_RIGHTS = {1: 13, 2: 14, 3: 15, 4: 15}
_FILE_RIGHTS_NEWEST = 16  # file rights in Landlock ABI 5, one bit each
_TCP_BIND_AND_CONNECT = 0b11  # both network rights of ABI 4
_ABSTRACT_SOCKETS_AND_SIGNALS = 0b11  # both scopes of ABI 6


class _Ruleset(ctypes.Structure):
    _fields_ = (("files", ctypes.c_uint64), ("net", ctypes.c_uint64), ("scoped", ctypes.c_uint64))


def landlock_version() -> int:
    """Return the kernel's Landlock ABI; 0 without Landlock."""
    return max(0, syscall(_CREATE_RULESET, 0, 0, _VERSION_QUERY))


def restrict_files() -> bool:
    """Take every file and TCP right from this process. False where the kernel has no Landlock."""
    version = landlock_version()
    if version < 1:
        return False
    ruleset = _Ruleset(
        files=(1 << _FILE_RIGHTS.get(version, _FILE_RIGHTS_NEWEST)) - 1,
        net=_TCP_BIND_AND_CONNECT if version >= 4 else 0,
        scoped=_ABSTRACT_SOCKETS_AND_SIGNALS if version >= 6 else 0,
    )
    size = 24 if version >= 6 else 16 if version >= 4 else 8
    descriptor = syscall(_CREATE_RULESET, ctypes.addressof(ruleset), size, 0)
    if descriptor < 0:
        return False
    restricted = syscall(_RESTRICT_SELF, descriptor, 0) == 0
    os.close(descriptor)
    return restricted
