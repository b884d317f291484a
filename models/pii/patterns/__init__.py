"""What a value looks like: one pattern per kind, its checksum, its clues and context words."""
