"""Routes of the console: the hosted part of /v1 for tokens, /api for sessions, HTML pages."""
