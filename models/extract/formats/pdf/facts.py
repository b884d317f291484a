"""Facts of an open PDF: the pages to read, its metadata and outline. Reads no page."""

import re
from typing import Any

from quire.models.cdom.original import Format, ReadOptions
from quire.models.cdom.tree import Metadata
from quire.models.extract.contract import DocumentFacts, OutlineEntry
from quire.models.extract.formats.common.page_selection import choose_pages
from quire.models.extract.formats.pdf.engine import BROKEN
from quire.models.extract.steps import Steps

_DATE = re.compile(r"(?:D:)?(\d{4})(\d\d)?(\d\d)?(\d\d)?(\d\d)?(\d\d)?(?:([Zz+-])(?:(\d\d)'?(\d\d)?)?)?")
_MOST_OUTLINE_ENTRIES = 10_000
"""Outline entries that are read: a handbook of a thousand pages has a few thousand."""
XFA_FORM = "xfa-form"
"""Warning: the form also has an XFA description, which is not read. Only its pages and fields are."""


def find_facts(document: Any, options: ReadOptions, steps: Steps) -> DocumentFacts:
    """Return the facts of an open file without reading a page.

    Raises:
        NoSuchPage: A requested page does not exist.
        TooManyPages: More pages are requested than allowed.
    """
    count = document.page_count
    return DocumentFacts(
        format=Format.PDF,
        page_count=count,
        page_numbers=choose_pages(count, options),
        metadata=steps.run("metadata", Metadata(), _find_metadata, document),
        outline=steps.run("outline", (), _find_outline, document),
        warnings=(XFA_FORM,) if _has_entry(document, "AcroForm/XFA") else (),
    )


def parse_date(stated: str | None) -> str | None:
    """Return a PDF date as ISO 8601, or None when it cannot be parsed."""
    match = _DATE.match((stated or "").strip())
    if not match:
        return None
    year, month, day, hour, minute, second, sign, off_hour, off_minute = match.groups()
    date = f"{year}-{month or '01'}-{day or '01'}"
    if hour is None:
        return date
    zone = "" if sign is None else "Z" if sign in "Zz" or not off_hour else f"{sign}{off_hour}:{off_minute or '00'}"
    return f"{date}T{hour}:{minute or '00'}:{second or '00'}{zone}"


def clean_text(text: str | None) -> str | None:
    """Return text without NULs and lone surrogates (which JSON cannot hold), or None when nothing is left."""
    if not text:
        return None
    return text.encode("utf-8", "replace").decode("utf-8").replace("\x00", "").strip() or None


def _find_metadata(document: Any) -> Metadata:
    stated: dict[str, str | None] = document.metadata or {}
    try:
        language = document.language
    except BROKEN:
        language = None
    return Metadata(
        title=clean_text(stated.get("title")),
        author=clean_text(stated.get("author")),
        created=parse_date(stated.get("creationDate")),
        modified=parse_date(stated.get("modDate")),
        language=clean_text(language),
    )


def is_tagged(document: Any) -> bool:
    """Return whether the file has a structure tree by its author."""
    return _has_entry(document, "StructTreeRoot")


def is_labelled(document: Any) -> bool:
    """Return whether the file names its pages (i, ii, A-1) apart from their number."""
    return _has_entry(document, "PageLabels")


def has_attachments(document: Any) -> bool:
    """Return whether files are attached to the file, as in a portfolio."""
    return _has_entry(document, "Names/EmbeddedFiles")


def find_label(page: Any) -> str | None:
    """Return the label of a page, None where the file has none for it."""
    try:
        return clean_text(page.get_label())
    except BROKEN:
        return None


def _has_entry(document: Any, name: str) -> bool:
    """Return whether the catalog of the file has an entry of that name."""
    try:
        kind, _ = document.xref_get_key(document.pdf_catalog(), name)
    except BROKEN:
        return False
    return bool(kind != "null")


def _has_outline(document: Any) -> bool:
    """Check the outline that was read on opening: `get_toc` would read it and all metadata again."""
    first = document.outline
    return first is not None and bool(first.this.m_internal)


def _find_outline(document: Any) -> tuple[OutlineEntry, ...]:
    entries = document.get_toc(simple=True) if _has_outline(document) else ()
    return tuple(
        OutlineEntry(level=max(1, level), title=clean_text(title) or "", page=max(0, page))
        for level, title, page in entries[:_MOST_OUTLINE_ENTRIES]
    )
