"""SQL over table cells, answered by a locked process."""
