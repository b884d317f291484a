"""Text on layers (optional content) that are switched off: read with the layers on, then switched off again."""

from collections.abc import Callable
from typing import Any

from models.cdom.coverage import Unseen
from models.extract.formats.pdf.engine import mupdf
from models.extract.formats.pdf.visibility.clipped import find_more
from models.extract.formats.pdf.visibility.unseen import UnseenText

MOST_LAYERS = 2000
"""Beyond so many layers nobody looks at what is on those that are off."""


def layers_off(document: Any) -> tuple[int, ...]:
    """Numbers of the layers that are off as the file is opened; few files have any."""
    file = mupdf.pdf_document_from_fz_document(document.this)
    count = mupdf.pdf_count_layers(file)
    if count > MOST_LAYERS:
        return tuple(range(count))
    return tuple(number for number in range(count) if not mupdf.pdf_layer_is_enabled(file, number))


def find_on_layers(
    page: Any, off: tuple[int, ...], stated: int, raw: Callable[[], list[dict[str, Any]]]
) -> list[UnseenText]:
    """What the page shows only with these layers on; `stated` and `raw` as for `find_clipped`."""
    file = mupdf.pdf_document_from_fz_document(page.parent.this)
    _switch(file, off, 1)
    try:
        return find_more(page, stated, raw, Unseen.LAYER_OFF)
    finally:
        _switch(file, off, 0)


def _switch(file: Any, layers: tuple[int, ...], enabled: int) -> None:
    for number in layers:
        mupdf.pdf_enable_layer(file, number, enabled)
