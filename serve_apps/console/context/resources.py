"""Values and ports that the console is built from; the service's composition opens them. It reads no setting."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Protocol

from quire.serve_apps.console.context.passwords import Passwords
from quire.serve_apps.console.store.ports import AuditedDatabase, Receivers

MEGABYTE = 1024 * 1024  # bytes


class ConsoleWorker(Protocol):
    """A background loop that lives as long as the app: the watcher, a dispatcher."""

    def start(self) -> None:
        """Start the loop."""

    def drain(self, timeout_s: float) -> object:
        """Stop the loop within `timeout_s`."""


class SignUp(StrEnum):
    """Sign-up modes.

    `open`: anyone can sign up. `approved`: an operator approves accounts. `closed`: new accounts are not accepted.
    """

    OPEN = "open"
    APPROVED = "approved"
    CLOSED = "closed"


@dataclass(frozen=True, slots=True, kw_only=True)
class SignUps:
    """Limits of new accounts per hour, by address and in total, and of sign-ins per minute by address; 0 = no limit.

    `trusted_proxies`: addresses and networks whose X-Forwarded-For is trusted.
    """

    mode: SignUp = SignUp.OPEN
    per_address: int = 5
    per_hour: int = 100
    sign_ins: int = 30
    trusted_proxies: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ConsoleLimits:
    """Limits: sizes in bytes, times in seconds. `engine_timeout_s` must be below `store.admission.SENDING_S`."""

    max_file_bytes: int = 20 * MEGABYTE
    max_batch_files: int = 10
    max_inflight_bytes: int = 512 * MEGABYTE
    upload_idle_s: float = 60.0
    read_timeout_s: float = 5.0
    engine_timeout_s: float = 120.0
    rate_limit_rpm: int = 0
    cors_origins: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ConsoleResources:
    """Resources of the console.

    `engine_key` is one key of the engine; every tenant is an organisation under it. `public_url` is the address that
    browsers use; https makes its cookies secure. `allowed_hosts` are further names of it. `close` is called last.
    """

    database: AuditedDatabase
    receivers: Receivers
    engine_url: str
    engine_key: str
    spool: Path
    public_url: str | None = None
    allowed_hosts: tuple[str, ...] = ()
    passwords: Passwords = field(default_factory=Passwords)
    limits: ConsoleLimits = field(default_factory=ConsoleLimits)
    sign_ups: SignUps = field(default_factory=SignUps)
    workers: Sequence[ConsoleWorker] = ()
    close: Callable[[], None] | None = None
