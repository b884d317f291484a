"""Why a caller is refused: three-line classes with a stable `code`; `serve_apps/api/problems.py` maps them to HTTP."""


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
    """`X-DE-Org` is no organisation name, or was sent twice."""

    code = "invalid-org"


class LicenseExpired(AccessRefused):
    """The licence ended while the service was running: nothing new is taken in."""

    code = "license-expired"


class ClockRolledBack(AccessRefused):
    """This host's clock stands more than an hour before a time already seen."""

    code = "license-clock"


class FeatureNotLicensed(AccessRefused):
    """The licence does not list the feature."""

    code = "feature-not-licensed"
