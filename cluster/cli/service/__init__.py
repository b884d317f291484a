"""Commands that start, stop and show a service."""
