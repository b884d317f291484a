"""The running service: Ray's node, Serve's applications, the supervisor that owns them, draining."""
