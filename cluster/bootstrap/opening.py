"""Opening of the store and the licence, which every part of a deployment needs."""

from datetime import UTC, datetime

from quire.cluster.runtime import LICENSE_KEYS, Runtime
from quire.serve_apps.access.license import verify_license
from quire.serve_apps.access.license_holder import LicenseHolder
from quire.serve_apps.access.license_keys import read_public_keys
from quire.storage.postgres.schema import check_schema
from quire.storage.store import Store, open_store
from quire.storage.values import crash_points as crash


def open_runtime_store(runtime: Runtime) -> Store:
    """Open the deployment's store; refuse a schema older or newer than this program."""
    crash.arm(runtime.settings.crash_at)
    settings = runtime.settings
    store = open_store(runtime.dsn, settings.workdir, signing_key=runtime.signing_key, blobs_url=settings.blobs)
    check_schema(store.db)
    return store


def hold_license(runtime: Runtime) -> LicenseHolder:
    """Return the licence in force; a renewal is read from the same file. Raises `LicenseRefused`."""
    keys = license_keys(runtime)
    token = runtime.license_file.read_text().strip()
    license = verify_license(token, keys, datetime.now(UTC))
    return LicenseHolder(license, keys, read_token=lambda: runtime.license_file.read_text().strip())


def license_keys(runtime: Runtime) -> dict[str, bytes]:
    """Return pinned keys of this installation and the workdir's own development key."""
    return read_public_keys(LICENSE_KEYS) | runtime.license_keys
