"""Nearest vectors: exact in memory, or by the table's own index."""
