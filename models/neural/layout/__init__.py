"""Finds layout elements in the picture of a page, as a second opinion next to the rules."""
