"""Slide decks of PowerPoint 97 to 2003 (.ppt): bytes in, an `OpenDocument` out."""

from quire.models.rare_formats.ppt.deck import open_ppt

__all__ = ["open_ppt"]
