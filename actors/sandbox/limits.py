"""Resource limits of one document. Plain values: built by the composition, passed to the server as JSON."""

import json
from dataclasses import asdict, dataclass, field

MIB = 1 << 20  # bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class SandboxLimits:
    """CPU limits decide about a document; idle limits only indicate that the machine is in trouble and are retried.

    `memory_bytes` is added to the memory that the idle server has mapped. `*_cpu_s` are CPU seconds. `*_idle_s` are
    seconds without running or waiting for a processor: between two messages, and in a whole document.
    """

    memory_bytes: int = 1024 * MIB
    page_cpu_s: int = 10
    open_cpu_s: int = 20
    total_cpu_s: int = 900
    redact_cpu_s: int = 300
    stall_idle_s: float = 120.0
    total_idle_s: float = 3600.0
    output_bytes: int = 256 * MIB
    pixel_bytes: int = 2048 * MIB
    readers: dict[str, str] = field(default_factory=dict)
    """Readers of plugins: format → "module:function"."""
    formats: tuple[str, ...] = ()
    """Formats that a server for a few files loads and warms up; empty: all."""

    locked: bool = True
    """False: children keep the files, the network and the user of the process that started them."""

    def dump(self) -> str:
        """Return the limits as JSON."""
        return json.dumps(asdict(self))

    @classmethod
    def load(cls, text: str) -> "SandboxLimits":
        """Parse the limits from JSON."""
        values = json.loads(text)
        return cls(**values | {"formats": tuple(values["formats"])})
