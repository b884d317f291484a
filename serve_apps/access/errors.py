"""Why a caller is refused: three-line classes with a stable `code`; the API's `problems.py` maps them to HTTP."""

import math


class AccessRefused(Exception):
    """The caller may not do this; the text is safe to show."""

    code = "refused"


class Unauthenticated(AccessRefused):
    """No key, more than one key, or one that is not known."""

    code = "unauthenticated"


class ScopeMissing(AccessRefused):
    """The key is known but does not carry the scope this operation needs."""

    code = "scope-missing"


class InvalidOrg(AccessRefused):
    """`X-DE-Org` is not an organisation name, or was sent twice."""

    code = "invalid-org"


class LicenseExpired(AccessRefused):
    """The licence ended while the service was running: nothing new is taken in."""

    code = "license-expired"


class ClockRolledBack(AccessRefused):
    """This host's clock stands more than an hour before a time already seen."""

    code = "license-clock"


class RateLimited(AccessRefused):
    """Too many requests; `retry_after` (whole seconds) is when the next one will be accepted."""

    code = "rate-limited"

    def __init__(self, text: str, wait_s: float) -> None:
        super().__init__(text)
        self.retry_after = max(1, math.ceil(wait_s))


class FeatureNotLicensed(AccessRefused):
    """The licence does not list the feature."""

    code = "feature-not-licensed"
