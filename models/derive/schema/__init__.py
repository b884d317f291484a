"""Extraction by JSON Schema from a tree: each value with the places that show it, found by rules."""
