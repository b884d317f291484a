"""Clients of the API, and the generator of their common half."""
