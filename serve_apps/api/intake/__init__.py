"""Intake: turn an upload into a queued job, or read a file at once."""
