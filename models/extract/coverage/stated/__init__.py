"""Coverage of formats without printed pages: the text that a file's parts state, read independently of its reader."""
