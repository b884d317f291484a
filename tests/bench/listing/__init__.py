"""Lists beside many rows."""
