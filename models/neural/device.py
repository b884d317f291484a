"""Checks whether this machine's processor can run the ML pipeline, by its feature flags.

In: /proc/cpuinfo or a list of flags given as a value. Out: a set of flags, or `MlUnavailable`. Loads no model.
"""

import platform
from pathlib import Path

from quire.models.cdom.errors import MlUnavailable

X86_MACHINES = frozenset({"x86_64", "amd64"})
REQUIRED_X86_FLAGS = frozenset({"avx2", "fma"})


def read_cpu_flags(cpuinfo: Path = Path("/proc/cpuinfo")) -> frozenset[str]:
    """Feature flags of the first processor; empty where the system has no such file."""
    try:
        text = cpuinfo.read_text(encoding="ascii", errors="replace")
    except OSError:
        return frozenset()
    for line in text.splitlines():
        name, _, value = line.partition(":")
        if name.strip() in {"flags", "Features"}:
            return frozenset(value.split())
    return frozenset()


def missing_cpu_flags(cpu_flags: frozenset[str] | None = None, machine: str | None = None) -> frozenset[str]:
    """Return the processor features that the ML pipeline needs and this machine lacks.

    The check concerns Linux on x86 only. Every arm64 processor has the features, and other systems do not report flags.

    Args:
        cpu_flags: Flags to check instead of those of this machine.
        machine: Architecture to check instead of `platform.machine()`.
    """
    if (machine or platform.machine()).lower() not in X86_MACHINES:
        return frozenset()
    flags = read_cpu_flags() if cpu_flags is None else cpu_flags
    unknown = cpu_flags is None and not flags
    return frozenset() if unknown else REQUIRED_X86_FLAGS - flags


def require_ml(cpu_flags: frozenset[str] | None = None, machine: str | None = None) -> None:
    """Raise `MlUnavailable` with the names of the missing processor features, if any are missing."""
    missing = missing_cpu_flags(cpu_flags, machine)
    if missing:
        raise MlUnavailable(f"this processor lacks {', '.join(sorted(missing))}")
