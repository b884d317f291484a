"""Routes that accept files and report on their jobs."""
