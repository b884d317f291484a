"""Redacted slides and workbooks: parts a reader sees, cleared of masked values."""
