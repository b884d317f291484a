"""Derivations: facts computed from a tree, such as chunks, fields, typed objects and differences."""
