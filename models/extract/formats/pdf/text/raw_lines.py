"""Characters of chosen lines of a page, from the engine's raw dictionary: slow, asked for only where needed."""

from collections.abc import Iterator, Mapping
from typing import Any

from models.extract.layout.lines.marks import Line


def raw_lines(text_page: Any, wanted: Mapping[tuple[int, int], Line]) -> Iterator[tuple[Line, list[dict[str, Any]]]]:
    """Each wanted line, by its key (text block, line), with the engine's characters in its order."""
    number = -1
    for block in text_page.extractRAWDICT()["blocks"]:
        if block["type"] != 0:
            continue
        number += 1
        for index, stated in enumerate(block["lines"]):
            line = wanted.get((number, index))
            if line is not None:
                yield line, [char for span in stated["spans"] for char in span["chars"]]
