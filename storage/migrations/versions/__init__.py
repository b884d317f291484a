"""Revisions of the database schema, in order."""
