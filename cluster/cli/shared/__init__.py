"""Shared parts of commands: options, settings with readable errors, the running database."""
