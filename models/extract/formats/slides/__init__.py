"""Slide decks (.pptx, shows and templates): bytes in, an `OpenDocument` out."""

from quire.models.extract.formats.slides.deck import open_pptx

__all__ = ["open_pptx"]
