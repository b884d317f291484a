"""The embedded PostgreSQL: its programs, its server, and backups of a deployment."""
