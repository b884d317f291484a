"""Readers: from the bytes of a file to a tree."""
