"""What a PostgreSQL outside the service may do to it: other versions, and a primary that dies."""
