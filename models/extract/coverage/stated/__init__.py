"""The statement of formats without printed pages: what the parts of the file say, read apart from the readers."""
