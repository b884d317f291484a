"""Locks the fork server and its children permanently: limits, then privileges, then files, then system calls.

The order matters: each step needs something that a later one removes. The server gives up everything that it does not
need for forking. A child gives up the rest and its per-process rights. macOS gets resource limits only.
"""

import os
import resource
import signal
import sys

from quire.actors.sandbox.landlock import restrict_files
from quire.actors.sandbox.limits import SandboxLimits
from quire.actors.sandbox.prctl import PR_SET_NO_NEW_PRIVS, PR_SET_PDEATHSIG, prctl
from quire.actors.sandbox.seccomp import install_filter

_PR_SET_DUMPABLE = 4  # prctl option, from linux/prctl.h
_OPEN_FILES = 8  # file handles: three standard ones, the channel, and room for an engine's own
IS_LINUX = sys.platform == "linux"


def lock_server(limits: SandboxLimits, base_bytes: int) -> bool:
    """Take from the fork server what it does not need either: each child inherits that and none can shed it.

    `base_bytes` is what the server has mapped. Whether Landlock is on; no file can be opened afterwards.
    """
    for kind in (resource.RLIMIT_CORE, resource.RLIMIT_FSIZE, resource.RLIMIT_MEMLOCK):
        lower_limit(kind, 0)
    if not IS_LINUX:
        return False
    lower_limit(resource.RLIMIT_AS, base_bytes + limits.memory_bytes)
    if not limits.locked:
        return False
    prctl(PR_SET_NO_NEW_PRIVS, 1)
    return restrict_files()


def lock_down(limits: SandboxLimits, parent: int) -> bool:
    """Take the rest from this child of the server. Whether its system calls are filtered.

    `parent` is the server's pid: with it gone this ends.
    """
    os.setsid()
    if IS_LINUX:
        prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(0)
    lower_limit(resource.RLIMIT_NPROC, 0)
    lower_limit(resource.RLIMIT_NOFILE, _OPEN_FILES)
    hard = hard_cpu_s(limits)
    resource.setrlimit(resource.RLIMIT_CPU, (min(limits.open_cpu_s, hard), hard))
    if not IS_LINUX or not limits.locked:
        return False
    prctl(_PR_SET_DUMPABLE, 0)
    return install_filter(os.getpid())


def hard_cpu_s(limits: SandboxLimits) -> int:
    """Return the CPU limit that a process cannot raise: twice a document's, because a child may serve several.

    A lower hard limit that the service inherits (`ulimit -t`, systemd, a batch system) applies instead.
    """
    return cap_limit(resource.RLIMIT_CPU, 2 * limits.total_cpu_s + limits.open_cpu_s)


def lower_limit(kind: int, value: int) -> None:
    """Set both limits of this kind to `value`, or to the inherited hard limit where that is lower."""
    capped = cap_limit(kind, value)
    resource.setrlimit(kind, (capped, capped))


def cap_limit(kind: int, value: int) -> int:
    """Return the value, or the inherited hard limit of this kind where that is lower."""
    inherited = resource.getrlimit(kind)[1]
    return value if inherited == resource.RLIM_INFINITY else min(value, inherited)


def cpu_used_s() -> float:
    """Return the CPU seconds of this process, user and system."""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def grant_cpu(seconds: int, until: float) -> None:
    """Allow `seconds` more from now, never beyond `until` (both CPU seconds of this process); SIGXCPU ends it."""
    hard = resource.getrlimit(resource.RLIMIT_CPU)[1]
    soft = min(cpu_used_s() + seconds, until)
    resource.setrlimit(resource.RLIMIT_CPU, (max(1, min(int(soft + 0.999), hard - 1)), hard))
