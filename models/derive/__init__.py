"""Data derived from a tree: chunks, fields, semantic objects, differences, quality and fine-tune records."""
