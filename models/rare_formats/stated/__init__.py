"""Count the characters of rare formats, independently of their readers."""
