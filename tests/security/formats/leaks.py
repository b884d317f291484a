"""What is left of planted values in a redacted file and in all outputs of one, for any of the 25 formats."""

import io
import re
import zipfile
from collections import Counter
from collections.abc import Iterator
from email import message_from_bytes

from quire.models.neural.embed.tokenizer import load_tokenizer
from quire.models.pii.engines.choose import make_flagger
from quire.models.redaction.planning.errors import NotRedactable, RedactionUnproven
from quire.models.redaction.redact import redact_original
from tests.lab.bench.redaction.canary_files import search_pdf
from tests.security.canaries import Case
from tests.security.leaks import leaks, letters
from tests.security.redacted import outputs, read

FLAG = make_flagger("regex")
TOKENIZER = load_tokenizer()


def spell(data: bytes, kind: str) -> str:
    """Return what can be read in a file, folded: its bytes, parts, transport encodings and text without markup."""
    if kind == "pdf":
        return "\n".join(search_pdf(data).values())
    found = [data, *_parts(data)]
    if kind in ("eml", "mbox", "mhtml"):
        mail = message_from_bytes(data.partition(b"\n")[2] if data.startswith(b"From ") else data)
        found += [payload for part in mail.walk() if isinstance(payload := part.get_payload(decode=True), bytes)]
    texts = [text for part in found for text in (part.decode("utf-8", "replace"), part.decode("utf-16-le", "ignore"))]
    return "\n".join(letters(form) for text in texts for form in (text, re.sub(r"<[^>]*>", "", text)))


def _parts(data: bytes) -> Iterator[bytes]:
    if zipfile.is_zipfile(io.BytesIO(data)):
        with zipfile.ZipFile(io.BytesIO(data)) as package:
            for name in package.namelist():
                yield name.encode()
                yield package.read(name)


def find_format_leaks(case: Case, tally: Counter[str]) -> list[str]:
    """Return the leaks of one file, each as its place and where it was found."""
    scanned = FLAG(read(case))
    found = []
    for name, data, media_type in outputs(scanned, TOKENIZER):
        found += [f"{place} in {name}" for place in leaks(case, data, media_type)]
        tally["outputs"] += 1
    try:
        redacted = redact_original(case.data, scanned, {}, lambda data: read(Case(kind=case.kind, data=data)))
    except NotRedactable:
        tally["format not redactable"] += 1
        return found
    except RedactionUnproven:
        tally["redaction-unproven"] += 1
        return found
    tally["files redacted"] += 1
    text = spell(redacted, case.kind)
    return found + [f"{place} in the file" for needle, place in case.needles.items() if needle in text]
