"""Lines gathered to blocks and told apart: paragraphs, headings, captions, furniture, order."""
