"""Format detection by content alone."""
