"""From an original to a redacted file of its kind, by format. Comes in: bytes, tree, decisions. Goes out: bytes."""

from models.cdom.original import Format
from models.cdom.tree import Tree
from models.pii.patterns.kind_patterns import RegexDetector
from models.pii.redact import Decisions
from models.redaction.planning.errors import NotRedactable
from models.redaction.planning.plan import Reread

REDACTABLE = frozenset({Format.PDF, Format.DOCX})


def redact_original(
    data: bytes, tree: Tree, decisions: Decisions, reread: Reread, password: str | None = None
) -> bytes:
    """Raises `NotRedactable`, `PiiIncomplete`, `RedactionUnproven`, and what engines raise on broken files."""
    if tree.source.format == Format.PDF:
        from models.redaction.pdf.redact import redact_pdf

        return redact_pdf(data, tree, decisions, RegexDetector(urls=False), reread, password)
    if tree.source.format == Format.DOCX:
        from models.redaction.docx.redact import redact_docx

        return redact_docx(data, tree, decisions, RegexDetector(urls=False), reread)
    raise NotRedactable(f"no redacted file of the format {tree.source.format}")
