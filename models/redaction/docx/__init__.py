"""Redacted Word files: runs cleared of masked values, and only the parts a reader sees."""
