"""The coverage statement: accounts for every character, page by page and for the finished tree."""
