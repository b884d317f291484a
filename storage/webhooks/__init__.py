"""Outbound events: receivers, the outbox, signatures, and the guarded HTTP client."""
