"""Effects of an external PostgreSQL on the service: other versions, and a primary that dies."""
