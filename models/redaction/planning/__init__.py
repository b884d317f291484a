"""Decides the parts to remove from a file, for every format, or the reason for refusing a redacted file."""
