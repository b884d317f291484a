"""Why no redacted file is given."""


class RedactionUnproven(Exception):
    """The file could not be made, or masked content might still be in it. The message quotes no document."""

    code = "redaction-unproven"


class NotRedactable(Exception):
    """No redacted file is made of this format."""

    code = "not-redactable"
