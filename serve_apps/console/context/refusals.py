"""Errors that the console itself raises: short classes with a stable `code`; `problems.py` maps them to HTTP."""

import math


class EngineFailed(Exception):
    """The engine failed or did not answer. The request was not charged and may be sent again."""

    code = "engine-failed"


class SignInNeeded(Exception):
    """The session's cookie is missing or has expired."""

    code = "sign-in-needed"


class ForeignForm(Exception):
    """A page of another site sent the request, or its token is not this session's."""

    code = "foreign-form"


class TooManyTries(Exception):
    """Too many sign-ups or sign-ins; `retry_after` is in whole seconds."""

    code = "too-many-tries"

    def __init__(self, text: str, wait_s: float) -> None:
        super().__init__(text)
        self.retry_after = max(1, math.ceil(wait_s))


class SignUpClosed(Exception):
    """This console does not accept new accounts."""

    code = "sign-up-closed"
