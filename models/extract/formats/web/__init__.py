"""Web pages, and books that are made of them (.epub)."""
