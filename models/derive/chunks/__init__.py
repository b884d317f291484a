"""Chunks of a tree: passages packed under their headings, and the name of the chunker with its settings."""
