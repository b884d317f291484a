"""Text lines of a PDF page from MuPDF's dictionaries: missing blanks, fractions, symbols, right-to-left order."""
