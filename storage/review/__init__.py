"""Flags on published trees, what people decided about them, and scanning again."""
