"""Patterns of personal data: one per kind, with its checksum, clues and context words."""
