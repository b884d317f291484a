"""Errors that the console itself raises: short classes with a stable `code`; `problems.py` maps them to HTTP."""

import math


class EngineFailed(Exception):
    """The engine erred, or did not answer; nothing was charged, so the request may be sent again."""

    code = "engine-failed"


class SignInNeeded(Exception):
    """The session's cookie is missing or has run out."""

    code = "sign-in-needed"


class ForeignForm(Exception):
    """A form or script of another site sent this, or its token is not this session's."""

    code = "foreign-form"


class TooManyTries(Exception):
    """Signing up or in too often; `retry_after` in whole seconds."""

    code = "too-many-tries"

    def __init__(self, text: str, wait_s: float) -> None:
        super().__init__(text)
        self.retry_after = max(1, math.ceil(wait_s))


class SignUpClosed(Exception):
    """This console takes no new accounts."""

    code = "sign-up-closed"
