"""The licence in force: the token of the settings, verified and kept in the workdir, or a development licence."""

from datetime import UTC, datetime
from pathlib import Path

from quire.cluster.errors import StartRefused
from quire.cluster.runtime import LICENSE_KEYS
from quire.configs.settings import Settings
from quire.serve_apps.access.development import (
    DevelopmentLicenseRefused,
    check_development_allowed,
    development_license,
)
from quire.serve_apps.access.license import LicenseRefused, read_license, verify_license
from quire.serve_apps.access.license_keys import read_public_keys
from quire.storage.objects.durable_files import replace_file


def license_of(settings: Settings) -> tuple[Path, dict[str, bytes]]:
    """Return the file of the licence in force and keys in addition to the pinned ones. Raises `StartRefused`."""
    try:
        if settings.license:
            return _given_license(settings.workdir, settings.license), {}
        check_development_allowed(
            host=settings.host, external_database=settings.database_url is not None, joined_cluster=False
        )
    except LicenseRefused as error:
        raise StartRefused(f"SVC_LICENSE: {error}") from None
    except DevelopmentLicenseRefused as error:
        raise StartRefused(str(error)) from None
    _, keys = development_license(settings.workdir, datetime.now(UTC))
    return settings.workdir / "license" / "development.token", keys


def _given_license(workdir: Path, token: str) -> Path:
    """Verify the token and store it in license.token, where a renewal of the same licence may exist already."""
    keys, now, path = read_public_keys(LICENSE_KEYS), datetime.now(UTC), workdir / "license.token"
    stored = path.read_text().strip() if path.exists() else ""
    try:
        renewed = verify_license(stored, keys, now)
    except LicenseRefused:
        renewed = None
    try:
        given = verify_license(token, keys, now)
    except LicenseRefused:
        if renewed is not None and _same_license(token, renewed.license_id, keys):
            return path
        raise
    if renewed is None or renewed.license_id != given.license_id or renewed.expires_at < given.expires_at:
        replace_file(path, token.encode())
    return path


def _same_license(token: str, license_id: str, keys: dict[str, bytes]) -> bool:
    """Return whether this is an expired but genuine token of the licence that has been renewed."""
    try:
        return read_license(token, keys).license_id == license_id
    except LicenseRefused:
        return False
