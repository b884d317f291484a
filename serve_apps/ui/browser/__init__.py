"""A browser's side of the dashboard: sign-in, session, origin, and the API as it reaches it."""
