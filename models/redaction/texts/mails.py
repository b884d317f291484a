"""A redacted mail: subject, people, date and body, masked, in a new message; or a saved web page.

Everything is written unencoded in UTF-8, so that no encoding hides text. Not copied: attached files, pictures, the
delivery route, and the second form of a body that has two.
"""

import email.policy
from email.message import EmailMessage
from email.parser import BytesParser
from html import unescape
from typing import cast

from quire.models.cdom.original import Format
from quire.models.cdom.tree import Tree
from quire.models.pii.kinds import Detector
from quire.models.pii.redact import Decisions
from quire.models.redaction.planning.errors import RedactionUnproven
from quire.models.redaction.planning.folded import find_blocks, find_values, fold_text
from quire.models.redaction.planning.leaks import require_proof
from quire.models.redaction.planning.plan import RedactionPlan, Reread, plan_redaction
from quire.models.redaction.planning.spelled import mask_places
from quire.models.redaction.texts.html import mask_page, page_text, write_page
from quire.models.redaction.texts.plain import require_read

_FIELDS = ("Subject", "From", "Sender", "To", "Cc", "Bcc", "Date")
_SAVED = "From: <Saved by Quire>\nSubject: Redacted"
"""Marks that distinguish a saved page from a mail."""


def redact_mail(data: bytes, tree: Tree, decisions: Decisions, detector: Detector, reread: Reread) -> bytes:
    """Redact a mail or a saved web page.

    Raises:
        PiiIncomplete: The PII scan of the tree is not complete.
        RedactionUnproven: A masked value may still be in the file.
    """
    plan = plan_redaction(tree, decisions)
    try:
        message = BytesParser(policy=email.policy.default).parsebytes(data)
        head = _head(message) if tree.source.format == Format.EML else _SAVED
        kind, body = _body(message)
        text = page_text(body.encode("utf-8", "replace")) if kind == "html" else body
    except (LookupError, ValueError, AttributeError) as error:
        raise RedactionUnproven(f"the message cannot be rewritten: {type(error).__name__}") from None
    require_read("\n".join((head, text, unescape(body) if kind == "html" else "")), plan)  # attributes are read too
    stated = _mask(head, plan, detector)
    if kind == "html":
        shown = write_page(mask_page(body.encode("utf-8", "replace"), plan, detector))
    else:
        shown = _mask(body, plan, detector).encode("utf-8", "replace")
    made = _write(stated, kind, shown, related=tree.source.format == Format.MHTML)
    return require_proof(made, plan, reread)


def _head(message: EmailMessage) -> str:
    """Return the fields that a mail reader shows, one per line."""
    lines = []
    for name in _FIELDS:
        for value in message.get_all(name, ()):
            lines.append(f"{name}: {' '.join(str(value).split())}")
    return "\n".join(lines)


def _body(message: EmailMessage) -> tuple[str, str]:
    part = message.get_body(preferencelist=("html", "plain"))
    if part is None:
        part = next((inner for inner in message.walk() if inner.get_content_maintype() == "text"), None)
    if part is None:
        return "plain", ""
    return part.get_content_subtype(), str(cast(EmailMessage, part).get_content())


def _mask(text: str, plan: RedactionPlan, detector: Detector) -> str:
    folded = fold_text(text)
    return mask_places(text, find_values(folded, plan, detector) | find_blocks(folded, plan))


def _write(head: str, kind: str, body: bytes, *, related: bool) -> bytes:
    subtype = "html" if kind == "html" else "plain"
    inner = (
        f"Content-Type: text/{subtype}; charset=utf-8\r\nContent-Transfer-Encoding: 8bit\r\n\r\n".encode()
        + body.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n")
    )  # fmt: skip
    fields = "".join(f"{line}\r\n" for line in head.splitlines()) + "MIME-Version: 1.0\r\n"
    if not related:
        return fields.encode("utf-8", "replace") + inner
    bound = "redacted-page"
    outer = f'Content-Type: multipart/related; type="text/html"; boundary="{bound}"\r\n\r\n--{bound}\r\n'
    return (fields + outer).encode("utf-8", "replace") + inner + f"\r\n--{bound}--\r\n".encode()
