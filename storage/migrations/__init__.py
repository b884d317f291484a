"""Alembic migrations of the SQL schema."""
