"""Redacted plain text, Markdown and tables of text: the same characters but for what is masked, in UTF-8."""

import re

from quire.models.cdom.original import Format
from quire.models.cdom.tree import Tree
from quire.models.pii.kinds import Detector
from quire.models.pii.redact import Decisions
from quire.models.redaction.planning.errors import RedactionUnproven
from quire.models.redaction.planning.folded import find_blocks, find_values, fold_text
from quire.models.redaction.planning.leaks import require_proof
from quire.models.redaction.planning.plan import RedactionPlan, Reread, plan_redaction
from quire.models.redaction.planning.spelled import mask_places

_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_MARKS = (
    (b"\xef\xbb\xbf", "utf-8-sig"),
    (b"\xff\xfe\x00\x00", "utf-32"),
    (b"\xff\xfe", "utf-16"),
    (b"\xfe\xff", "utf-16"),
)


def redact_plain(data: bytes, tree: Tree, decisions: Decisions, detector: Detector, reread: Reread) -> bytes:
    """Redact a text file.

    Raises:
        PiiIncomplete: The PII scan of the tree is not complete.
        RedactionUnproven: A masked value may still be in the file.
    """
    plan = plan_redaction(tree, decisions)
    text = decode_text(data, plan)
    if tree.source.format == Format.MARKDOWN:
        text = _COMMENT.sub("", text)
    folded = fold_text(text)
    masked = find_values(folded, plan, detector) | find_blocks(folded, plan)
    return require_proof(mask_places(text, masked).encode(), plan, reread)


def decode_text(data: bytes, plan: RedactionPlan) -> str:
    """Decode the text with the first character set in which every masked value is found.

    Raises:
        RedactionUnproven: No character set fits.
    """
    stated = next((name for mark, name in _MARKS if data.startswith(mark)), None)
    for name in (stated,) if stated else ("utf-8", "cp1252", "latin-1"):
        try:
            text = data.decode(name)
        except UnicodeDecodeError:
            continue
        folded = fold_text(text).folded
        if all(value in folded for value in plan.needles):
            return text
    raise RedactionUnproven("the file does not contain the text that was read")


def require_read(text: str, plan: RedactionPlan) -> None:
    """Check that every masked value is found in the decoded text; a misspelled one would stay.

    Raises:
        RedactionUnproven: A value is not found.
    """
    folded = fold_text(text).folded
    if not all(value in folded for value in plan.needles):
        raise RedactionUnproven("the file does not contain the text that was read")


def decode_marked(data: bytes) -> str:
    """Text that says its character set by a mark, or is UTF-8, or is read as western European. Never fails."""
    name = next((name for mark, name in _MARKS if data.startswith(mark)), "utf-8")
    try:
        return data.decode(name)
    except UnicodeDecodeError:
        return data.decode("cp1252", "replace")
