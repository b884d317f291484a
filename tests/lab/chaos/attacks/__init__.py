"""Attacks on a running service and on redaction."""
