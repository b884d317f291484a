"""Digests of PDF pages: equal digests mean that the reader returns equal content.

A digest covers everything that a page refers to by its bytes, so object numbers and other pages do not matter. The
layers, the structure tree and the forms of a file concern each of its pages, and are part of each digest.
"""

import hashlib
import re
from typing import Any

from quire.models.extract.formats.pdf.engine import BROKEN

_REFERENCE = re.compile(r"(?<![\w.#+-])(\d{1,10}) \d{1,5} R(?![\w#])")
_HELD = re.compile(r"/Type ?/(?:Page|Annot|StructElem)(?![\w#])")
_BACK = frozenset({"Parent", "P", "Popup", "B", "IRT", "LastModified"})
"""Entries of pages, annotations and elements that lead back to what holds them, or say nothing of what is shown."""
_INHERITED = ("Resources", "MediaBox", "CropBox", "Rotate")
_WHOLE_FILE = ("StructTreeRoot", "OCProperties", "AcroForm", "MarkInfo", "Lang")
_MOST_OBJECTS, _MOST_PER_PAGE = 20_000, 20
"""Objects that are looked at for a file, and more of them for each page: at .1 ms each, far less than reading costs."""
_MOST_LEVELS = 200  # of references inside references
_MOST_PARENTS = 50  # levels of the page tree


class _Unbounded(Exception):
    """The object has too much below it, or refers to itself."""


_UNCOMPARABLE: tuple[type[Exception], ...] = (_Unbounded, *BROKEN)


class PageDigests:
    """Digests of the pages of one open file."""

    def __init__(self, document: Any) -> None:
        self._document = document
        self._pages = {document.page_xref(index): index for index in range(document.page_count)}
        self._known: dict[int, bytes] = {}
        self._left = _MOST_OBJECTS + _MOST_PER_PAGE * len(self._pages)
        self._whole = self._digest_whole()

    def find(self, number: int) -> bytes | None:
        """Return the digest of page `number` (1-based); None for pages that cannot be compared."""
        if self._whole is None:
            return None
        try:
            xref = self._document.page_xref(number - 1)
            held = [
                self._whole,
                *(self._inherit(xref, key) for key in _INHERITED),
                self._digest_text(self._print(xref), 0),
            ]
        except _UNCOMPARABLE:
            return None
        return hashlib.sha256(b"".join(held)).digest()

    def _digest_whole(self) -> bytes | None:
        """Return the digest of what concerns every page."""
        document = self._document
        if document.is_encrypted or document.is_repaired:
            return None
        try:
            catalog = document.pdf_catalog()
            stated = [document.xref_get_key(catalog, key) for key in _WHOLE_FILE]
            texts = [f"{key} {kind} {text}" for key, (kind, text) in zip(_WHOLE_FILE, stated, strict=True)]
            return b"".join(self._digest_text(text, 0) for text in texts)
        except _UNCOMPARABLE:
            return None

    def _inherit(self, xref: int, key: str) -> bytes:
        """Return the digest of an entry that a page has from the page tree; empty where it has its own or none."""
        for level in range(_MOST_PARENTS):
            kind, text = self._document.xref_get_key(xref, key)
            if kind != "null":
                return key.encode() + self._digest_text(text, 0) if level else b""
            kind, text = self._document.xref_get_key(xref, "Parent")
            if kind != "xref":
                break
            xref = int(text.split()[0])
        return b""

    def _print(self, xref: int) -> str:
        """Return an object as text, without the entries that lead back."""
        text: str = self._document.xref_object(xref, compressed=True)
        if not _HELD.search(text):
            return text
        keys = [key for key in self._document.xref_get_keys(xref) if key not in _BACK]
        return "".join(f"/{key} {self._document.xref_get_key(xref, key)[1]}" for key in keys)

    def _digest_text(self, text: str, level: int) -> bytes:
        """Return the digest of an object in its printed form, with the digests of what it refers to."""
        digest = hashlib.sha256()
        after = 0
        for reference in _REFERENCE.finditer(text):
            digest.update(text[after : reference.start()].encode("utf-8", "surrogatepass"))
            digest.update(self._digest_object(int(reference[1]), level + 1))
            after = reference.end()
        digest.update(text[after:].encode("utf-8", "surrogatepass"))
        return digest.digest()

    def _digest_object(self, xref: int, level: int) -> bytes:
        if xref in self._pages:
            return b"page %d" % self._pages[xref]
        if (known := self._known.get(xref)) is not None:
            if not known:  # refers to itself
                raise _Unbounded
            return known
        self._left -= 1
        if level > _MOST_LEVELS or self._left < 0:
            raise _Unbounded
        self._known[xref] = b""
        try:
            text = self._print(xref)
            found = self._digest_text(text, level)
            if "/Length" in text and self._document.xref_is_stream(xref):
                found = hashlib.sha256(found + (self._document.xref_stream_raw(xref) or b"")).digest()
        except BaseException:
            del self._known[xref]
            raise
        self._known[xref] = found
        return found
