"""XML namespaces of slide decks, and what a slide's shapes are read with."""

from typing import Final

P: Final = "{http://schemas.openxmlformats.org/presentationml/2006/main}"
A14: Final = "{http://schemas.microsoft.com/office/drawing/2010/main}"
P188: Final = "{http://schemas.microsoft.com/office/powerpoint/2018/8/main}"
EMU_PER_POINT: Final = 12700
"""English Metric Units, the format's unit of length, to a point."""
