"""A PDF without what is masked. Comes in: the original, its tree, the decisions. Goes out: a file, or a refusal."""

from typing import Any

import pikepdf
import pymupdf
import pypdfium2

from quire.models.cdom.tree import Tree
from quire.models.pii.kinds import Detector
from quire.models.pii.redact import Decisions
from quire.models.redaction.pdf.clean import TooDeep, write_clean
from quire.models.redaction.pdf.prove import find_leaks
from quire.models.redaction.pdf.remove import remove_values
from quire.models.redaction.pdf.scans import draw_scans
from quire.models.redaction.pdf.second_look import SecondLook
from quire.models.redaction.planning.errors import RedactionUnproven
from quire.models.redaction.planning.folded import ValueFinder
from quire.models.redaction.planning.plan import Reread, plan_redaction

_BROKEN = (pikepdf.PdfError, pypdfium2.PdfiumError, pymupdf.mupdf.FzErrorBase, TooDeep, ValueError, RecursionError)
"""Errors that the engines raise on files that they cannot parse or write."""


def redact_pdf(
    data: bytes, tree: Tree, decisions: Decisions, detector: Detector, reread: Reread, password: str | None = None
) -> bytes:
    """Redact a PDF.

    Raises:
        PiiIncomplete: The PII scan of the tree is not complete.
        RedactionUnproven: A masked value may still be in the file.

    Engines raise their own errors on broken files.
    """
    finder = ValueFinder(plan_redaction(tree, decisions), detector)
    try:
        clean, leaks = _make_and_look(data, tree, decisions, finder, reread, password)
        wider = finder.plan.extended(finder.seen.values())
        if leaks and wider is not finder.plan:
            clean, leaks = _make_and_look(data, tree, decisions, ValueFinder(wider, detector), reread, password)
    except _BROKEN as error:
        raise RedactionUnproven(f"the file cannot be rewritten: {type(error).__name__}") from None
    if leaks:
        raise RedactionUnproven(f"found again in {leaks[0]}")
    return clean


def _make_and_look(
    data: bytes, tree: Tree, decisions: Decisions, finder: ValueFinder, reread: Reread, password: str | None
) -> tuple[bytes, list[str]]:
    """Return the new file and the places where a value of the tree, or one seen while making it, is still found."""
    clean = _make(data, tree, decisions, finder, password)
    return clean, find_leaks(clean, finder.plan.extended(finder.seen.values()), reread)


def _make(data: bytes, tree: Tree, decisions: Decisions, finder: ValueFinder, password: str | None) -> bytes:
    document: Any = pymupdf.open(stream=data, filetype="pdf")
    try:
        if document.needs_pass and not document.authenticate(password or ""):
            raise RedactionUnproven("the file wants a password")
        with SecondLook(data, password) as second:
            pictures = draw_scans(document, tree, decisions, finder, second)
            unread = remove_values(document, tree, finder, second)
        edited = document.tobytes(garbage=0, encryption=pymupdf.PDF_ENCRYPT_NONE)
    finally:
        document.close()
    return write_clean(edited, unread, pictures)
