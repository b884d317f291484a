"""Access errors: short classes with a stable `code`; the API's `problems.py` maps them to HTTP."""

import math


class AccessRefused(Exception):
    """The caller may not do this; the text is safe to show."""

    code = "refused"


class Unauthenticated(AccessRefused):
    """The key is missing, ambiguous or unknown."""

    code = "unauthenticated"


class ScopeMissing(AccessRefused):
    """The key is known but lacks the scope that the operation needs."""

    code = "scope-missing"


class InvalidOrg(AccessRefused):
    """`X-DE-Org` is not an organisation name, or was sent twice."""

    code = "invalid-org"


class InvalidPrincipals(AccessRefused):
    """`X-DE-Principals` is malformed, or was sent twice."""

    code = "invalid-principals"


class PrincipalsUnsupported(AccessRefused):
    """The operation ignores principals of documents, so it is closed to limited requests."""

    code = "principals-unsupported"


class LicenseExpired(AccessRefused):
    """The licence expired while the service was running: new documents are refused."""

    code = "license-expired"


class ClockRolledBack(AccessRefused):
    """The host's clock is more than an hour behind a time already seen."""

    code = "license-clock"


class RateLimited(AccessRefused):
    """Too many requests; the next one is accepted after `retry_after` whole seconds."""

    code = "rate-limited"

    def __init__(self, text: str, wait_s: float) -> None:
        super().__init__(text)
        self.retry_after = max(1, math.ceil(wait_s))


class FeatureNotLicensed(AccessRefused):
    """The licence does not list the feature."""

    code = "feature-not-licensed"
