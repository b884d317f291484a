"""Slide decks (.pptx, shows and templates): bytes in, an `OpenDocument` out."""

from models.extract.readers.pptx.deck import open_pptx

__all__ = ["open_pptx"]
