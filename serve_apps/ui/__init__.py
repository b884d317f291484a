"""Dashboard: server-rendered pages on top of the API."""
