"""What can go wrong with detection: an engine that is not there."""


class EngineMissing(Exception):
    """The engine or a language of it is not installed; the text says what to install."""

    code = "pii-engine-missing"
