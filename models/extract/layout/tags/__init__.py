"""What the author of a document says of its parts: believed where the page agrees."""
