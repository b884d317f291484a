"""Why no redacted file is given."""


class RedactionUnproven(Exception):
    """The file could not be made, or something that is masked might still stand in it. Its text quotes no document."""

    code = "redaction-unproven"


class NotRedactable(Exception):
    """No redacted file is made of this format."""

    code = "not-redactable"
