"""Browser side of the dashboard: sign-in, session, origin, and access to the API."""
