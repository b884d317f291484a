"""Traces as both doors make them: named stretches of time with a parent, exported by whoever composes the service.

A stretch carries names, counts and codes, never content and no file name. Without a tracer (`NO_TRACER`) nothing is
made and nothing is measured. What crosses processes is the W3C `traceparent` text.
"""

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import Protocol

Fact = str | int | float | bool
NOTHING: Mapping[str, Fact] = MappingProxyType({})


class TraceSpanKind(StrEnum):
    """OpenTelemetry's kinds that occur here."""

    SERVER = "server"
    CONSUMER = "consumer"
    INTERNAL = "internal"


class TraceSpan(Protocol):
    """One stretch in course. `context` is what a later one names as its parent; None when it is not traced."""

    @property
    def context(self) -> str | None: ...

    def rename(self, name: str) -> None: ...

    def note(self, name: str, value: Fact) -> None: ...

    def end(self, error: str | None = None) -> None:
        """Ends it now; `error` is a stable code. Once only."""


class Tracer(Protocol):
    """Makes stretches. Never raises and never waits for the receiver."""

    @property
    def on(self) -> bool: ...

    def begin(
        self,
        name: str,
        parent: str | None = None,
        *,
        kind: TraceSpanKind = TraceSpanKind.INTERNAL,
        ago_s: float = 0.0,
        facts: Mapping[str, Fact] = NOTHING,
    ) -> TraceSpan:
        """A stretch that began `ago_s` seconds ago below `parent` (a traceparent), or a trace of its own.

        Facts are named as OpenTelemetry's conventions name them (`http.route`) or below `quire.`.
        """

    def close(self) -> None:
        """Sends what is left, within a few seconds."""


class _NoStretch:
    context = None

    def rename(self, name: str) -> None: ...

    def note(self, name: str, value: Fact) -> None: ...

    def end(self, error: str | None = None) -> None: ...


class _NoTracer:
    on = False

    def begin(
        self,
        name: str,
        parent: str | None = None,
        *,
        kind: TraceSpanKind = TraceSpanKind.INTERNAL,
        ago_s: float = 0.0,
        facts: Mapping[str, Fact] = NOTHING,
    ) -> TraceSpan:
        return NO_STRETCH

    def close(self) -> None: ...


NO_STRETCH: TraceSpan = _NoStretch()
NO_TRACER: Tracer = _NoTracer()
