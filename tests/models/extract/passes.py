"""Passes of a page by name, for tests that make one fail."""

from quire.models.extract.pipeline.passes import PAGE_PASSES
from quire.models.extract.steps import Pass


def find_pass(name: str) -> Pass:
    """Return the pass of that name."""
    return next(item for item in PAGE_PASSES if item.name == name)
