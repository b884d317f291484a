"""What a document is, and what reads it."""
