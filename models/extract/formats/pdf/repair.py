"""Files that the engine refuses although other readers show them.

Only their attachments are encrypted, they open with an empty owner password, or their structure is broken.
"""

import io
import re
from typing import Any

import pikepdf

from quire.models.extract.formats.pdf.engine import BROKEN, EngineFile, mupdf

ENCRYPTED_ATTACHMENT = "encrypted-attachment"
"""Warning: attachments of the file need a password. Its pages do not."""
REPAIRED = "repaired"
"""Warning: the file is damaged and was repaired. Parts of it may be missing."""
_ENCRYPTION_ENTRY = re.compile(rb"/Encrypt(?=[\s\d<])")
_OTHER_PROTECTION = re.compile(rb"/Filter\s*/(?:Adobe\.PubSec|Adobe\.APS|EBX_HANDLER|FOPN_\w+|Entrust\.PPKEF)")
_OBJECT = re.compile(rb"\d[\s\0]{1,9}\d{1,5}[\s\0]{1,9}obj\b|\bendstream\b|%%EOF\s+\d[\d\s]{0,20}o?b?\Z")
"""The beginning of an object, also one that the file does not finish, and the end of a long one."""
_STATED_LENGTH = re.compile(rb"/Linearized\b[^>]{0,200}?/L\s+(\d{1,12})|/L\s+(\d{1,12})[^>]{0,200}?/Linearized\b")
_LINE_END = 2
"""Bytes of a line end, which may be missing."""
_FIRST_BYTES = 2048
"""Bytes at the beginning of a file among which a file for the web states its length."""
_TABLE_ENTRY = b"startxref"
_IDENTITY = "Identity"
_CRYPT_FILTERS = 4
"""Version of encryption from which a file names a method for streams, strings and attachments separately."""
_MOST_OBJECTS = 200_000
"""Objects that are searched for pages of a file without a usable page tree."""


def encrypts_attachments_only(engine: Any) -> bool:
    """Return whether the streams and strings of the file are in the clear and only its attachments are encrypted."""
    try:
        trailer = mupdf.pdf_trailer(mupdf.pdf_document_from_fz_document(engine.this))
        encryption = mupdf.pdf_dict_gets(trailer, "Encrypt")
        if mupdf.pdf_to_int(mupdf.pdf_dict_gets(encryption, "V")) < _CRYPT_FILTERS:
            return False
        methods = [mupdf.pdf_to_name(mupdf.pdf_dict_gets(encryption, key)) for key in ("StmF", "StrF")]
        return all(method in ("", _IDENTITY) for method in methods)
    except BROKEN:
        return False


def is_protected_otherwise(data: bytes) -> bool:
    """Return whether the file is encrypted with certificates or rights management, which no password opens."""
    return _ENCRYPTION_ENTRY.search(data) is not None and _OTHER_PROTECTION.search(data) is not None


def is_cut_off(data: bytes, *, repaired: bool = True) -> bool:
    """Return whether the end of the file is missing: objects have no table after them, or a web file is too short."""
    end = data.rfind(_TABLE_ENTRY)
    if end < 0 or _OBJECT.search(data, end) is not None:
        return True
    stated = _STATED_LENGTH.search(data[:_FIRST_BYTES]) if repaired else None
    return stated is not None and len(data) + _LINE_END < int(stated[1] or stated[2])


def without_encryption(data: bytes) -> bytes:
    """Return the file without the entry that states its encryption, for a file whose pages are in the clear."""
    return _ENCRYPTION_ENTRY.sub(b"/EncrypX", data)


def load_rewriter() -> None:
    """Let qpdf open its source of random numbers, for a process that will lose file access."""
    with pikepdf.new() as file:
        file.save(io.BytesIO(), encryption=pikepdf.Encryption(owner="", user=""))


def rewrite(data: bytes) -> bytes | None:
    """Return the file rewritten by qpdf without encryption, None where qpdf cannot open it without a password.

    qpdf also tries the empty owner password, and recovers some structures that the engine does not.
    """
    try:
        with pikepdf.open(io.BytesIO(data), suppress_warnings=True) as file:
            if not len(file.pages):
                return None
            written = io.BytesIO()
            file.save(written)
            return written.getvalue()
    except (pikepdf.PdfError, pikepdf.PasswordError, ValueError, RuntimeError):
        return None


def repair(data: bytes) -> bytes | None:
    """Return a damaged file rebuilt from its objects, None where it has no page."""
    return _rebuild(data) or rewrite(data)


def _rebuild(data: bytes) -> bytes | None:
    try:
        engine = EngineFile(stream=data.replace(_TABLE_ENTRY, b"startxreX"), filetype="pdf")
    except BROKEN:
        return None
    try:
        if _count_pages(engine) < 1:
            _rebuild_page_tree(engine)
        return bytes(engine.tobytes()) if _count_pages(engine) > 0 else None
    except BROKEN:
        return None
    finally:
        engine.close()


def _count_pages(engine: Any) -> int:
    try:
        return int(engine.page_count)
    except BROKEN:
        return 0


def _rebuild_page_tree(engine: Any) -> None:
    """Put all pages of the file, in the order of their objects, into a new page tree."""
    count = min(engine.xref_length(), _MOST_OBJECTS)
    pages = [number for number in range(1, count) if engine.xref_get_key(number, "Type")[1] == "/Page"]
    if not pages:
        return
    tree = engine.get_new_xref()
    kids = " ".join(f"{number} 0 R" for number in pages)
    engine.update_object(tree, f"<</Type/Pages/Count {len(pages)}/Kids[{kids}]>>")
    for number in pages:
        engine.xref_set_key(number, "Parent", f"{tree} 0 R")
    engine.xref_set_key(engine.pdf_catalog(), "Pages", f"{tree} 0 R")
