"""Text lines of a PDF page from MuPDF's dictionaries: spaces, hidden text, right-to-left order."""
