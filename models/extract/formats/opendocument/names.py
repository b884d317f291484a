"""XML namespaces of OpenDocument, and its measures in points."""

import re
from typing import Final

from models.extract.formats.flow.counting import natural

_ROOT: Final = "{urn:oasis:names:tc:opendocument:xmlns:"
OFFICE: Final = _ROOT + "office:1.0}"
TEXT: Final = _ROOT + "text:1.0}"
TABLE: Final = _ROOT + "table:1.0}"
STYLE: Final = _ROOT + "style:1.0}"
DRAW: Final = _ROOT + "drawing:1.0}"
SVG: Final = _ROOT + "svg-compatible:1.0}"
FO: Final = _ROOT + "xsl-fo-compatible:1.0}"
PRESENTATION: Final = _ROOT + "presentation:1.0}"
CHART: Final = _ROOT + "chart:1.0}"
META: Final = _ROOT + "meta:1.0}"
MANIFEST: Final = _ROOT + "manifest:1.0}"
DC: Final = "{http://purl.org/dc/elements/1.1/}"
XLINK: Final = "{http://www.w3.org/1999/xlink}"

_MEASURE: Final = re.compile(r"\s*(-?\d+(?:\.\d+)?)\s*(cm|mm|in|pt|pc|px)")
_POINTS: Final = {"cm": 72 / 2.54, "mm": 72 / 25.4, "in": 72.0, "pt": 1.0, "pc": 12.0, "px": 0.75}


def points(text: str | None) -> float | None:
    """A measure in points; None when it is none."""
    found = _MEASURE.match(text or "")
    return float(found.group(1)) * _POINTS[found.group(2)] if found else None


def count(text: str | None, most: int) -> int:
    """A repeat count between 1 and `most`."""
    return min(natural(text, 1), most)
