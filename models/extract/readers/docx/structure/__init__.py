"""What a Word file is made of: paragraphs, lists, tables, notes, pages."""
