"""The console's routes: the hosted part of /v1 for tokens, /api for sessions, pages for people."""
