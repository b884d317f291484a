"""Reads a redacted PDF again and says whether a masked value stands anywhere in it: two engines, every decoded byte."""

from collections.abc import Iterable, Iterator
from io import BytesIO
from typing import Any

import pikepdf
import pypdfium2

from quire.models.pii.letters import letters
from quire.models.redaction.planning.plan import RedactionPlan, Reread
from quire.models.redaction.planning.search import Search, texts_of_tree


def find_leaks(data: bytes, plan: RedactionPlan, reread: Reread) -> list[str]:
    """Return the names of the places where a masked value was found again, without the value."""
    search = Search(plan)
    texts = [(place, text, letters(text)) for place, text in texts_of_tree(reread(data))]
    leaks = [f"reader: {place}" for place, text, folded in texts if search.in_folded(text, folded)]
    leaks += ["reader: pieces"] * search.in_joined(folded for _, _, folded in texts)
    leaks += [f"pdfium: {place}" for place, text in _texts_of_pdfium(data) if search.in_text(text)]
    leaks += [f"qpdf: {place}" for place, content in _decoded(data) if search.in_bytes(content)]
    return leaks + ["raw bytes"] * search.in_bytes(data)


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
        for pdf_object in pdf.objects:
            if isinstance(pdf_object, pikepdf.Stream):
                yield "stream", pdf_object.read_bytes() if _is_decodable(pdf_object) else pdf_object.read_raw_bytes()
        yield "objects", b"\n".join(_strings(pdf.objects))


def _is_decodable(stream: Any) -> bool:
    filters = stream.get("/Filter")
    names = [filters] if isinstance(filters, pikepdf.Name) else list(filters or ())
    return not any(str(name) in ("/DCTDecode", "/JPXDecode", "/JBIG2Decode", "/CCITTFaxDecode") for name in names)


def _strings(objects: Iterable[Any]) -> Iterator[bytes]:
    for pdf_object in objects:
        yield from _strings_in(pdf_object, 0)


def _strings_in(pdf_object: Any, depth: int) -> Iterator[bytes]:
    if depth > 20:
        return
    if isinstance(pdf_object, pikepdf.String):
        yield bytes(pdf_object)
        yield str(pdf_object).encode("utf-8", "replace")
    elif isinstance(pdf_object, pikepdf.Dictionary | pikepdf.Stream):
        for key, value in pdf_object.items():
            yield str(key).encode()
            if not getattr(value, "is_indirect", False):
                yield from _strings_in(value, depth + 1)
    elif isinstance(pdf_object, pikepdf.Array):
        for value in pdf_object:
            if not getattr(value, "is_indirect", False):
                yield from _strings_in(value, depth + 1)
    elif isinstance(pdf_object, pikepdf.Name):
        yield str(pdf_object).encode()
