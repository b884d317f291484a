"""A tree to chunks: passages under their headings, and the name of what cut them."""
