"""The trace of a document one reader holds: how long it waited, then one stretch per phase, all below the request's.

In come claims and phases as `Inflight` learns of them; out go stretches to the tracer. Nothing where traces are off.
"""

from dataclasses import dataclass

from models.cdom.tracing import Tracer, TraceSpan, TraceSpanKind
from storage.values.rows import Claim
from storage.values.states import Phase


@dataclass(slots=True)
class DocumentTrace:
    """Begun with the claim, moved by `enter`, ended once. Callers serialise calls."""

    tracer: Tracer
    whole: TraceSpan
    phase: Phase
    part: TraceSpan

    def enter(self, phase: Phase) -> None:
        """The phase before ends now; the same phase again goes on."""
        if phase is self.phase:
            return
        self.part.end()
        self.phase, self.part = phase, self.tracer.begin(phase.value, self.whole.context)

    def end(self, error: str | None = None) -> None:
        """`error`: the document's code, or why this reader's work on it ended."""
        self.part.end(error)
        self.whole.end(error)


def begin_trace(tracer: Tracer, claim: Claim) -> DocumentTrace:
    """A claim was taken just now."""
    tracer.begin("queue", claim.traceparent, ago_s=claim.waited_s).end()
    whole = tracer.begin("document", claim.traceparent, kind=TraceSpanKind.CONSUMER)
    whole.note("quire.document_id", claim.document_id)
    whole.note("quire.job_id", claim.job_id)
    whole.note("quire.attempt", claim.attempt)
    phase = Phase.CLAIMED if claim.grouped else Phase.READING
    return DocumentTrace(tracer, whole, phase, tracer.begin(phase.value, whole.context))
