"""Slides drawn from boxes: shapes, the size of the slide and the size of type."""

from typing import Any

from quire.serve_apps.viewer.slides import Slide, draw_slide

PAGE = {"number": 1, "width": 960.0, "height": 540.0}


def block(text: str, bbox: list[float] | None, table: Any = None) -> dict[str, Any]:
    return {"text": text, "bbox": bbox, "table": table}


def draw(*blocks: dict[str, Any], format: str = "pptx") -> Slide | None:
    return draw_slide({"source": {"format": format}}, PAGE, list(blocks))


def test_neighbouring_blocks_with_one_box_are_one_shape() -> None:
    box = [0.0, 100.0, 400.0, 300.0]
    slide = draw(block("Title", [0.0, 0.0, 900.0, 80.0]), block("a", box), block("b", box), block("notes", None))
    assert slide is not None
    assert [[one["text"] for one in shape.blocks] for shape in slide.shapes] == [["Title"], ["a", "b"]]
    assert (slide.width, slide.height) == (960.0, 540.0)


def test_slide_is_as_large_as_boxes_that_pass_its_page() -> None:
    slide = draw(block("a", [0.0, 0.0, 1200.0, 300.0]), format="odp")
    assert slide is not None
    assert (slide.width, slide.height) == (1200.0, 300.0)


def test_longer_text_is_drawn_smaller_in_the_same_box() -> None:
    box = [0.0, 0.0, 300.0, 100.0]
    sizes = []
    for text in ("short", "word " * 20, "word " * 2000):
        slide = draw(block(text, box))
        assert slide is not None
        sizes.append(slide.shapes[0].size)
    assert sizes == sorted(set(sizes), reverse=True)
    assert sizes[-1] == 6


def test_rows_of_a_table_share_the_height_of_its_box() -> None:
    cells = [{"row": row, "col": 0, "col_span": 1, "text": "x"} for row in range(10)]
    slide = draw(block("", [0.0, 0.0, 500.0, 130.0], {"rows": 10, "cols": 1, "cells": cells}))
    assert slide is not None
    assert slide.shapes[0].size * 10 * 1.25 * 1.3 <= 130


def test_other_formats_and_pages_without_boxes_are_not_drawn() -> None:
    assert draw(block("a", [0.0, 0.0, 10.0, 10.0]), format="docx") is None
    assert draw(block("a", None)) is None
