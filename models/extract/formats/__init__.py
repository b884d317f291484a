"""Readers of file formats, and the rooms that they share: `common`, `flow` and `sniffing`."""
