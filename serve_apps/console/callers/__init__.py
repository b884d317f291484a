"""Callers of the console: identity, address and rate limits."""
