"""The coverage statement: what became of every character, page by page and for the finished tree."""
