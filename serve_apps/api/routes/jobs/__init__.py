"""Routes that take files and tell of their jobs."""
