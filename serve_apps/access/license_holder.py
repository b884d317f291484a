"""The licence of the running service: renewable without restart, enforced after its end.

Times are passed in: this host's clock and the highest time the database has seen. After expiry, or if the clock was set
back by more than an hour, new documents are refused; reads, exports and deletes continue.
"""

import logging
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta

from quire.serve_apps.access.errors import ClockRolledBack, FeatureNotLicensed, LicenseExpired
from quire.serve_apps.access.license import License, LicenseRefused, Reason, check_term, verify_license

log = logging.getLogger(__name__)
CLOCK_TOLERANCE = timedelta(hours=1)


class LicenseHolder:
    """Holds one verified licence. `read_token` returns the current token, for example from a file."""

    def __init__(
        self,
        license: License,
        keys: Mapping[str, bytes],
        *,
        read_token: Callable[[], str] | None = None,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._license, self._keys, self._read_token, self._clock = license, keys, read_token, clock
        self._highest_seen = license.issued_at
        self.token_refusal: str | None = None
        """Why the newest token is not in force; None if it is."""

    @property
    def current(self) -> License:
        """Return the licence in force."""
        return self._license

    def now(self) -> datetime:
        """Return the host's time (UTC), or the highest time seen if that is later."""
        return max(self._clock(), self._highest_seen)

    def observe(self, seen: datetime) -> None:
        """Take note of the highest time the database knows."""
        self._highest_seen = max(self._highest_seen, seen)

    def renew(self, token: str) -> License:
        """Take a renewed token of the same licence. Raises `LicenseRefused`; the old one then stays."""
        renewed = verify_license(token, self._keys, self.now())
        if renewed.license_id != self._license.license_id:
            raise LicenseRefused(
                Reason.OTHER_LICENSE, "a renewal keeps its license_id; another licence needs a restart"
            )
        self._license = renewed
        return renewed

    def refresh(self) -> None:
        """Read the token again. One that is refused leaves the licence as it is and is logged once."""
        if self._read_token is None:
            return
        try:
            self.renew(self._read_token())
            self.token_refusal = None
        except LicenseRefused as refused:
            if self.token_refusal != (reason := f"{refused.reason.value}: {refused.detail}"):
                log.warning("the new licence token is refused, and the earlier one stays in force: %s", reason)
            self.token_refusal = reason
        except OSError:
            return

    def refusal(self) -> str | None:
        """Return why new documents are refused (`license-expired`, `license-clock`), or None."""
        try:
            self.require_intake()
        except (LicenseExpired, ClockRolledBack) as refused:
            return refused.code
        return None

    def require_intake(self) -> None:
        """Check that new documents may be accepted.

        Raises:
            LicenseExpired: The licence has expired.
            ClockRolledBack: The host's clock is behind a time already seen.
        """
        if self._clock() < self._highest_seen - CLOCK_TOLERANCE:
            raise ClockRolledBack("this host's clock is more than an hour behind the last recorded time; check NTP")
        try:
            check_term(self._license, self.now())
        except LicenseRefused as refused:
            raise LicenseExpired(refused.detail) from None

    def require_feature(self, feature: str) -> None:
        """Check that the licence includes a feature.

        Raises:
            FeatureNotLicensed: It does not.
        """
        if feature not in self._license.features:
            raise FeatureNotLicensed(f"the licence does not include {feature}")
