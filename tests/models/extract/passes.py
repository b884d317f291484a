"""Passes of a page by name, for tests that make one fail, and the marks of a page without its layout."""

from typing import Any

from quire.models.extract.layout.lines.marks import PageMarks
from quire.models.extract.pipeline.page import PageColumns
from quire.models.extract.pipeline.passes import PAGE_PASSES, PRINT_PASSES
from quire.models.extract.steps import Pass, Steps


def find_pass(name: str) -> Pass:
    """Return the pass of that name."""
    return next(item for item in PAGE_PASSES if item.name == name)


def find_marks(page: Any, layers: tuple[int, ...] = (), *, tagged: bool = False, number: int = 1) -> PageMarks:
    """Return everything printed on a page of a PDF, in points after rotation.

    Args:
        page: The engine's page.
        layers: Layers of the file that are off.
        tagged: Whether the file has a structure tree.
        number: Page number, 1-based.
    """
    columns = PageColumns(page=page, layers=layers, tagged=tagged, number=number)
    Steps().run_passes(PRINT_PASSES, columns)
    return columns.marks
