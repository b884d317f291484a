"""Stored JSON Schemas of organisations, what corrections taught them, and answers of language models."""
