"""Builds a new PDF with the pages and their visible content only, by an allow-list of keys.

Not copied: metadata, bookmarks, attachments, forms, scripts, annotations, links, structure and alternate texts,
thumbnails, layers, names, page labels, earlier revisions and unreferenced objects.
"""

from io import BytesIO
from typing import Any

import pikepdf
from pikepdf import Array, Dictionary, Name, Pdf, Stream

from quire.models.redaction.pdf.content import ContentCleaner, needs_cleaning
from quire.models.redaction.pdf.layers import find_layers_off

_PAGE_KEYS = ("/MediaBox", "/CropBox", "/Rotate", "/UserUnit")
_FORM_KEYS = ("/Type", "/Subtype", "/BBox", "/Matrix", "/Group", "/FormType")
_PATTERN_KEYS = ("/Type", "/PatternType", "/PaintType", "/TilingType", "/BBox", "/XStep", "/YStep", "/Matrix")
_RESOURCES = ("/Font", "/ExtGState", "/ColorSpace", "/Shading")
_NOT_OURS = (
    "/Metadata", "/PieceInfo", "/AF", "/Alt", "/ActualText", "/E", "/OC", "/OPI", "/Alternates", "/StructParents",
    "/StructParent", "/LastModified", "/Annots", "/AA", "/A", "/Thumb", "/JS", "/Names", "/Measure", "/PtData",
)  # fmt: skip
LEAST_VERSION = "1.7"
"""Minimum version of the written file, whose readers know transparency and layers."""
DEEPEST = 12
"""Forms inside forms."""


class TooDeep(ValueError):
    """Forms nested deeper than any program writes them."""


class PageCleaner:
    """Cleans pages of one opened file in place. Each form is looked at once."""

    def __init__(self, pdf: Pdf) -> None:
        self._pdf = pdf
        self._is_off = find_layers_off(pdf)
        self._done: dict[tuple[tuple[int, int], bool], Any] = {}

    def clean(self, page: Any) -> Any:
        """Return the cleaned page as a separate dictionary."""
        raw = page.obj
        resources = _inherited(raw, "/Resources")
        contents = raw.get("/Contents")
        made = Dictionary(Type=Name.Page)
        for key in _PAGE_KEYS:
            value = _inherited(raw, key)
            if value is not None:
                made[key] = value
        data = b"\n".join(stream.read_bytes() for stream in _streams(contents))
        kept, clean = self._clean_content(data, resources, text=True, depth=0)
        made.Contents = self._pdf.make_stream(kept)
        made.Resources = clean
        return made

    def blank(self, page: Any) -> Any:
        """Return an empty page of the same size."""
        made = Dictionary(Type=Name.Page, Resources=Dictionary(), Contents=self._pdf.make_stream(b""))
        for key in _PAGE_KEYS:
            value = _inherited(page.obj, key)
            if value is not None:
                made[key] = value
        return made

    def _clean_content(self, data: bytes, resources: Any, *, text: bool, depth: int) -> tuple[bytes, Any]:
        if depth > DEEPEST:
            raise TooDeep("forms in forms")
        forms: set[str] = set()
        if not text or needs_cleaning(data):
            cleaner = ContentCleaner(resources, self._is_off, text=text)
            data, forms = cleaner.clean(self._pdf.make_stream(data)), cleaner.forms
        return data, self._clean_resources(resources, forms, text=text, depth=depth)

    def _clean_resources(self, resources: Any, forms: set[str], *, text: bool, depth: int) -> Any:
        made = Dictionary()
        if resources is None:
            return made
        for key in _RESOURCES:
            if key in resources:
                made[key] = resources[key]
        objects = resources.get("/XObject")
        if objects is not None and forms:
            made.XObject = Dictionary(
                {name: self._form(objects[name], resources, text=text, depth=depth + 1) for name in sorted(forms)}
            )
        patterns = resources.get("/Pattern")
        if patterns is not None:
            made.Pattern = Dictionary(
                {name: self._pattern(pattern, resources, depth + 1) for name, pattern in patterns.items()}
            )
        self._clean_masks(made, depth)
        return made

    def _form(self, form: Any, outer: Any, *, text: bool, depth: int) -> Any:
        key = (form.objgen, text)
        if key not in self._done:
            self._done[key] = self._empty()  # what a form shows of itself
            self._done[key] = self._stream(form, _FORM_KEYS, form.get("/Resources", outer), text=text, depth=depth)
        return self._done[key]

    def _pattern(self, pattern: Any, outer: Any, depth: int) -> Any:
        """Clean a tile without its text and pictures, because readers do not extract repeated content."""
        if not isinstance(pattern, Stream):
            return pattern
        key = (pattern.objgen, False)
        if key not in self._done:
            self._done[key] = self._empty()
            resources = pattern.get("/Resources", outer)
            self._done[key] = self._stream(pattern, _PATTERN_KEYS, resources, text=False, depth=depth)
        return self._done[key]

    def _empty(self) -> Any:
        form = self._pdf.make_stream(b"")
        form.Type, form.Subtype, form.BBox = Name.XObject, Name.Form, Array([0, 0, 0, 0])
        return self._pdf.make_indirect(form)

    def _stream(self, old: Any, keys: tuple[str, ...], resources: Any, *, text: bool, depth: int) -> Any:
        data, clean = self._clean_content(old.read_bytes(), resources, text=text, depth=depth)
        made = self._pdf.make_stream(data)
        for key in keys:
            if key in old:
                made[key] = old[key]
        made.Resources = clean
        return self._pdf.make_indirect(made)

    def _clean_masks(self, resources: Any, depth: int) -> None:
        """Soft masks are forms: what they would show is as good as shown."""
        states = resources.get("/ExtGState")
        for _, state in states.items() if states is not None else ():
            mask = state.get("/SMask") if isinstance(state, Dictionary) else None
            if isinstance(mask, Dictionary) and "/G" in mask:
                mask.G = self._form(mask.G, None, text=False, depth=depth + 1)


def _streams(contents: Any) -> list[Any]:
    if contents is None:
        return []
    return (
        [content for content in contents if isinstance(content, Stream)] if isinstance(contents, Array) else [contents]
    )


def _inherited(page: Any, key: str) -> Any:
    node = page
    for _ in range(64):
        if node is None or key in node:
            break
        node = node.get("/Parent")
    return node.get(key) if node is not None else None


def write_clean(data: bytes, unread: set[int], pictures: dict[int, bytes]) -> bytes:
    """Write a linearised new file, equal for equal input; `unread` pages are blank or come from `pictures`."""
    with Pdf.open(BytesIO(data)) as old, Pdf.new() as new:
        cleaner = PageCleaner(old)
        for number, page in enumerate(old.pages, 1):
            if number in pictures:
                with Pdf.open(BytesIO(pictures[number])) as drawn:
                    new.pages.append(drawn.pages[0])
                continue
            made = cleaner.blank(page) if number in unread else cleaner.clean(page)
            new.pages.append(pikepdf.Page(old.make_indirect(made)))
        _strip(new)
        written = BytesIO()
        new.remove_unreferenced_resources()
        new.save(
            written,
            linearize=True,
            min_version=LEAST_VERSION,
            deterministic_id=True,
            object_stream_mode=pikepdf.ObjectStreamMode.disable,
            compress_streams=True,
            fix_metadata_version=False,
        )
        return written.getvalue()


def _strip(pdf: Pdf) -> None:
    """Keys that carry text wherever they stand: on fonts, pictures, colour spaces."""
    for item in pdf.objects:
        if isinstance(item, Dictionary | Stream):
            for key in _NOT_OURS:
                if key in item:
                    del item[key]
