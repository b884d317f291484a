"""Steps between a file and its tree: plan each page, recognise what has no text, assemble the document."""
