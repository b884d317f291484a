"""Reads a redacted PDF again and says whether a masked value stands anywhere in it: two engines, every decoded byte."""

import re
from collections.abc import Iterable, Iterator
from io import BytesIO
from typing import Any

import pikepdf
import pypdfium2

from models.cdom.tree import Tree
from models.redaction.planning.letters import letters
from models.redaction.planning.plan import RedactionPlan, Reread

LEAST_IN_BYTES = 6
"""Letters from which a value is looked for in raw bytes: shorter ones stand in any font program."""
WORD_BOUND = 6
"""Letters below which a value is only looked for as a word of its own."""
_BETWEEN = r"[\W_]*"


def find_leaks(data: bytes, plan: RedactionPlan, reread: Reread) -> list[str]:
    """Where a masked value was found again, by name of the place; the value is not said."""
    search = Search(plan)
    found = [f"reader: {place}" for place, text in _texts_of_tree(reread(data)) if search.in_text(text)]
    found += [f"pdfium: {place}" for place, text in _texts_of_pdfium(data) if search.in_text(text)]
    found += [f"qpdf: {place}" for place, content in _decoded(data) if search.in_bytes(content)]
    return found + ["raw bytes"] * search.in_bytes(data)


class Search:
    """The values of a plan, looked for in any writing: as letters in texts, as written in bytes."""

    def __init__(self, plan: RedactionPlan) -> None:
        self._long = sorted(needle for needle in plan.needles if len(needle) >= WORD_BOUND)
        short = sorted(needle for needle in plan.needles if len(needle) < WORD_BOUND)
        spaced = "|".join(_BETWEEN.join(map(re.escape, one)) for one in short)
        self._short = re.compile(rf"(?<!\w)(?:{spaced})(?!\w)") if short else None
        written = {
            value.strip()
            for value in plan.values
            if len(letters(value)) >= LEAST_IN_BYTES and letters(value) in plan.needles
        }
        forms = {form for value in written for form in _forms(value)}
        self._bytes = re.compile(b"|".join(map(re.escape, sorted(forms, key=len, reverse=True)))) if forms else None

    def in_text(self, text: str) -> bool:
        folded = letters(text)
        if any(needle in folded for needle in self._long):
            return True
        return self._short is not None and self._short.search(text.casefold()) is not None

    def in_bytes(self, content: bytes) -> bool:
        return self._bytes is not None and self._bytes.search(content) is not None


def _forms(value: str) -> Iterator[bytes]:
    for one in {value, value.casefold(), value.upper()}:
        yield one.encode("utf-8")
        yield one.encode("utf-16-be")
        yield one.encode("utf-16-le")
        yield one.encode("utf-16-be").hex().encode()
        yield one.encode("utf-16-be").hex().upper().encode()


def _texts_of_tree(tree: Tree) -> Iterator[tuple[str, str]]:
    facts = tree.metadata
    yield (
        "metadata",
        "\n".join(filter(None, (facts.title, facts.author, facts.created, facts.modified, facts.language))),
    )
    for block in tree.blocks:
        place = f"page {block.page}"
        yield place, block.text
        yield place, "\n".join(span.href for span in block.spans if span.href)
        for cell in block.table.cells if block.table is not None else ():
            yield place, cell.text


def _texts_of_pdfium(data: bytes) -> Iterator[tuple[str, str]]:
    document = pypdfium2.PdfDocument(data)
    try:
        yield "metadata", "\n".join(document.get_metadata_dict().values())
        for number in range(len(document)):
            page = document[number]
            text = page.get_textpage()
            yield f"page {number + 1}", text.get_text_range()
            text.close()
            page.close()
    finally:
        document.close()


def _decoded(data: bytes) -> Iterator[tuple[str, bytes]]:
    with pikepdf.Pdf.open(BytesIO(data)) as pdf:
        for one in pdf.objects:
            if isinstance(one, pikepdf.Stream):
                yield "stream", one.read_bytes() if _is_decodable(one) else one.read_raw_bytes()
        yield "objects", b"\n".join(_strings(pdf.objects))


def _is_decodable(stream: Any) -> bool:
    filters = stream.get("/Filter")
    names = [filters] if isinstance(filters, pikepdf.Name) else list(filters or ())
    return not any(str(name) in ("/DCTDecode", "/JPXDecode", "/JBIG2Decode", "/CCITTFaxDecode") for name in names)


def _strings(objects: Iterable[Any]) -> Iterator[bytes]:
    for one in objects:
        yield from _strings_in(one, 0)


def _strings_in(one: Any, depth: int) -> Iterator[bytes]:
    if depth > 20:
        return
    if isinstance(one, pikepdf.String):
        yield bytes(one)
        yield str(one).encode("utf-8", "replace")
    elif isinstance(one, pikepdf.Dictionary | pikepdf.Stream):
        for key, value in one.items():
            yield str(key).encode()
            if not getattr(value, "is_indirect", False):
                yield from _strings_in(value, depth + 1)
    elif isinstance(one, pikepdf.Array):
        for value in one:
            if not getattr(value, "is_indirect", False):
                yield from _strings_in(value, depth + 1)
    elif isinstance(one, pikepdf.Name):
        yield str(one).encode()
