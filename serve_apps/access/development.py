"""Development licence that a machine issues for itself for a trial: conditions and creation.

Only for a loopback bind with the embedded database and without a cluster. Key pair and token are in the workdir.
"""

import secrets
from datetime import datetime, timedelta
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from quire.serve_apps.access.license import License, LicenseRefused, issue_license, read_license, renew_license
from quire.serve_apps.access.license_keys import LOCAL_PREFIX, raw_public, read_private_key, write_private_key
from quire.serve_apps.access.loopback import is_loopback_host
from quire.storage.objects.durable_files import replace_file

PLAN = "development"
MAX_PAGES_PER_MONTH = 100_000  # pages: enough to try everything, too few to sell
_RENEW_BEFORE = timedelta(days=30)


class DevelopmentLicenseRefused(Exception):
    """A real licence is required; the text names the setting that requires it."""

    code = "license-required"


def check_development_allowed(*, host: str, external_database: bool, joined_cluster: bool) -> None:
    """Check that the service is a trial on this machine.

    Raises:
        DevelopmentLicenseRefused: The service is reachable from outside, has an external database or is in a cluster.
    """
    asked_by = {
        "the service listens beyond loopback": not is_loopback_host(host),
        "an external database is set": external_database,
        "this node joined a cluster": joined_cluster,
    }
    reasons = [reason for reason, holds in asked_by.items() if holds]
    if reasons:
        raise DevelopmentLicenseRefused(f"SVC_LICENSE is required: {', '.join(reasons)}")


def development_license(workdir: Path, now: datetime) -> tuple[str, dict[str, bytes]]:
    """Return the workdir's token, created or renewed if necessary (same license_id), and the key that verifies it."""
    folder = workdir / "license"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    key = _own_key(folder / "development.pem")
    kid = LOCAL_PREFIX + raw_public(key).hex()[:16]
    keys = {kid: raw_public(key)}
    token = _read(folder / "development.token")
    license = _own_license(token, keys)
    if license is None or license.expires_at - now < _RENEW_BEFORE:
        token = issue_license(renew_license(license or _new_license(kid, now), now), key)
        replace_file(folder / "development.token", f"{token}\n".encode())
    return token, keys


def _own_license(token: str, keys: dict[str, bytes]) -> License | None:
    """Return the licence in `token`, also an expired one; None if it is missing or another key signed it."""
    try:
        return read_license(token, keys)
    except LicenseRefused:
        return None


def _new_license(kid: str, now: datetime) -> License:
    return License(
        license_id=f"dev-{secrets.token_hex(8)}",
        customer="local development",
        plan=PLAN,
        features=(),
        max_pages_per_month=MAX_PAGES_PER_MONTH,
        issued_at=now,
        not_before=now,
        expires_at=now,
        kid=kid,
    )


def _own_key(path: Path) -> Ed25519PrivateKey:
    try:
        return read_private_key(path)
    except ValueError:
        if path.exists():
            raise
    write_private_key(Ed25519PrivateKey.generate(), path)
    return read_private_key(path)


def _read(path: Path) -> str:
    try:
        return path.read_text().strip()
    except OSError:
        return ""
