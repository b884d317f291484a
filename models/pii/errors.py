"""Errors of detection and redaction."""


class EngineMissing(Exception):
    """The engine or a language of it is not installed; the text says what to install."""

    code = "pii-engine-missing"


class PiiIncomplete(Exception):
    """The tree has no completed PII scan, so nothing of it may leave redacted."""

    code = "pii-incomplete"
