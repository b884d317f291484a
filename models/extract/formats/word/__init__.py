"""Word files: .docx and the older .doc."""
