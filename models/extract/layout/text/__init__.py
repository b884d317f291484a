"""Groups lines into blocks and classifies them: paragraphs, headings, captions, furniture, order."""
