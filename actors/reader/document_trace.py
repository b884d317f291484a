"""The trace of a document one reader holds: its waiting time, then one span per phase, all below the request's.

`Inflight` passes claims and phases. Nothing happens if traces are off.
"""

from dataclasses import dataclass

from opentelemetry.trace import Span, SpanKind

from quire.models.cdom.tracing import Tracing, end_span, traceparent_of
from quire.storage.values.rows import Claim
from quire.storage.values.states import Phase


@dataclass(slots=True)
class DocumentTrace:
    """Spans of one document: begun with the claim, moved by `enter`, ended once. Callers serialise calls."""

    tracing: Tracing
    whole: Span
    phase: Phase
    part: Span

    def enter(self, phase: Phase) -> None:
        """End the current phase and begin the next; the same phase again changes nothing."""
        if phase is self.phase:
            return
        end_span(self.part)
        self.phase, self.part = phase, self.tracing.begin(phase.value, traceparent_of(self.whole))

    def end(self, error: str | None = None) -> None:
        """End all spans; `error` is the document's code, or the reason why this reader's work on it ended."""
        end_span(self.part, error)
        end_span(self.whole, error)


def begin_trace(tracing: Tracing, claim: Claim) -> DocumentTrace:
    """Begin the trace of a document that was claimed just now."""
    end_span(tracing.begin("queue", claim.traceparent, ago_s=claim.waited_s))
    whole = tracing.begin("document", claim.traceparent, kind=SpanKind.CONSUMER)
    whole.set_attribute("quire.document_id", claim.document_id)
    whole.set_attribute("quire.job_id", claim.job_id)
    whole.set_attribute("quire.attempt", claim.attempt)
    phase = Phase.CLAIMED if claim.grouped else Phase.READING
    return DocumentTrace(tracing, whole, phase, tracing.begin(phase.value, traceparent_of(whole)))
