"""Outbound events: receivers, the outbox, signatures, and the one guarded HTTP door."""
