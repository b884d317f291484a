"""What the console itself refuses: three-line classes with a stable `code`; `problems.py` maps them to HTTP."""


class EngineFailed(Exception):
    """The engine erred, or did not answer; nothing was charged, so the request may be sent again."""

    code = "engine-failed"


class SignInNeeded(Exception):
    """The session's cookie is missing or has run out."""

    code = "sign-in-needed"


class ForeignForm(Exception):
    """A form or script of another site sent this, or its token is not this session's."""

    code = "foreign-form"
