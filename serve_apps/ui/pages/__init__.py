"""Pages of the dashboard and their forms."""
