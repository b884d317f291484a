"""Registered pull locations: connectors, sync, files that disappeared."""
