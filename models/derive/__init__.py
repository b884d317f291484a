"""Derivations of a tree: chunks, fields, comparison, quality, training data."""
