"""What this machine's processor can do for models: its feature flags, and whether the ML pipeline may run on it.

In: /proc/cpuinfo or a list of flags given as a value. Out: a set of flags, or `MlUnavailable`. Loads no model.
"""

import platform
from pathlib import Path

from models.cdom.errors import MlUnavailable

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
    """The features the ML pipeline needs and this machine lacks; `cpu_flags` stands in for what the machine says.

    A flag check concerns Linux on x86 only: arm64 always has what is needed, and other systems do not tell.
    """
    if (machine or platform.machine()).lower() not in X86_MACHINES:
        return frozenset()
    found = read_cpu_flags() if cpu_flags is None else cpu_flags
    unknown = cpu_flags is None and not found
    return frozenset() if unknown else REQUIRED_X86_FLAGS - found


def require_ml(cpu_flags: frozenset[str] | None = None, machine: str | None = None) -> None:
    """Raises `MlUnavailable` naming the missing features."""
    missing = missing_cpu_flags(cpu_flags, machine)
    if missing:
        raise MlUnavailable(f"this processor lacks {', '.join(sorted(missing))}")
