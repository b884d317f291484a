"""The author's structure tree of a page."""
