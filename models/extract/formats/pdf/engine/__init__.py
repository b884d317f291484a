"""PyMuPDF, imported without its layout model and with its messages switched off.

With `pymupdf_layout` installed, `import pymupdf` loads ONNX: 217 MB and 1.8 CPU s instead of 49 MB and 0.11 s.
"""

import sys
from types import ModuleType
from typing import Any

from quire.models.cdom.errors import Malformed
from quire.models.cdom.geometry import Bbox

_UNWANTED = ("onnxruntime", "networkx", "pymupdf.layout", "pymupdf4llm")

_FINEST = 8
"""Bits of anti-aliasing, the engine's default and its most."""


def _import_engine() -> ModuleType:
    """Import PyMuPDF with the unwanted modules blocked, then unblock them, because other code may need them."""
    blocked = [name for name in _UNWANTED if name not in sys.modules]
    for name in blocked:
        sys.modules[name] = None  # type: ignore[assignment]
    try:
        import pymupdf
    finally:
        for name in blocked:
            sys.modules.pop(name, None)
    pymupdf.TOOLS.mupdf_display_errors(False)
    pymupdf.TOOLS.mupdf_display_warnings(False)
    _reset_settings(pymupdf.TOOLS)
    return pymupdf  # type: ignore[no-any-return]


def _reset_settings(tools: Any) -> None:
    """Give the global settings that change boxes, font names and drawings their defaults.

    Importing PyMuPDF with its layout model changes them: boxes of some fonts are then taller.
    """
    tools.unset_quad_corrections(False)
    tools.set_small_glyph_heights(False)
    tools.set_subset_fontnames(False)
    tools.set_low_memory(False)
    tools.set_aa_level(_FINEST)
    tools.set_graphics_min_line_width(0.0)
    tools.set_icc(1)


pymupdf = _import_engine()
mupdf = pymupdf.mupdf

ENGINE = "mupdf"
VERSION: str = pymupdf.mupdf_version
BROKEN: tuple[type[Exception], ...] = (
    mupdf.FzErrorBase,
    RuntimeError,
    ValueError,
    TypeError,
    IndexError,
    KeyError,
    AttributeError,
    ArithmeticError,
    AssertionError,
)
"""Exceptions of the engine on broken files: its own family, and Python's from its wrapper. Excludes MemoryError."""
_NO_SUCH_ENTRY = -1
"""The engine's result for a metadata entry that the file lacks."""
_FIRST_BYTES = 16_384
"""Initial size of a growing buffer: about what a page of tagged text takes."""
FAILURES: tuple[type[Exception], ...] = (*BROKEN, MemoryError)
"""Broken files and refused memory; `ran_out_of_memory` distinguishes them."""


_Document: Any = pymupdf.Document


class EngineFile(_Document):  # type: ignore[misc]
    """PyMuPDF's document, without the C++ exception (30 µs) that it raises for each missing metadata entry."""

    def _getMetadata(self, key: str) -> str:  # noqa: N802 - PyMuPDF's name
        if mupdf.ll_fz_lookup_metadata(self.this.m_internal, key, None, 0) <= _NO_SUCH_ENTRY:
            return ""
        return str(super()._getMetadata(key))


def print_structure(page: Any, scale: float) -> bytes:
    """Return the page's structured text with its tags as JSON, boxes in points times `scale` after rotation."""
    flags = mupdf.FZ_STEXT_PRESERVE_WHITESPACE | mupdf.FZ_STEXT_COLLECT_STRUCTURE
    text = mupdf.FzStextPage(page.this, mupdf.FzStextOptions(flags))
    buffer = mupdf.FzBuffer(_FIRST_BYTES)
    output = mupdf.FzOutput(buffer)
    mupdf.fz_print_stext_page_as_json(output, text, scale)
    output.fz_close_output()
    return bytes(buffer.fz_buffer_extract())


def read_contents(page: Any) -> bytes | None:
    """Return the content streams of a page, None when the engine refuses them.

    Raises:
        Malformed: They are a compression bomb, which nothing else may unpack.
    """
    try:
        return bytes(page.read_contents())
    except BROKEN as error:
        if "bomb" in str(error):
            raise Malformed("a compression bomb") from error
        return None


def take_messages() -> str:
    """Return what the engine reported since the last call, a message a line, and clear them."""
    return str(pymupdf.TOOLS.mupdf_warnings())


def turn_box(box: Bbox, matrix: Any) -> Bbox:
    """Return the box after the page's rotation."""
    xs = (box[0] * matrix.a + box[1] * matrix.c + matrix.e, box[2] * matrix.a + box[3] * matrix.c + matrix.e)
    ys = (box[0] * matrix.b + box[1] * matrix.d + matrix.f, box[2] * matrix.b + box[3] * matrix.d + matrix.f)
    return (min(xs), min(ys), max(xs), max(ys))


def turn_blocks(blocks: list[dict[str, Any]], matrix: Any) -> None:
    """Rotate every block of a page dictionary in place (by a multiple of 90 degrees)."""
    for block in blocks:
        block["bbox"] = turn_box(block["bbox"], matrix)
        for line in block.get("lines", ()):
            line["bbox"] = turn_box(line["bbox"], matrix)
            x, y = line["dir"]
            line["dir"] = (x * matrix.a + y * matrix.c, x * matrix.b + y * matrix.d)
            for span in line["spans"]:
                x, y = span["origin"]
                span["origin"] = (x * matrix.a + y * matrix.c + matrix.e, x * matrix.b + y * matrix.d + matrix.f)
