"""What every part of a deployment opens first: its settings, its store, its licence."""

import os
from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING

from cluster.runtime import LICENSE_KEYS, VARIABLE, Runtime, read_runtime
from configs.parsing import parse_settings
from configs.settings import Settings

if TYPE_CHECKING:  # each replica imports only what it is made of
    from serve_apps.access.license_holder import LicenseHolder
    from storage.store import Store


def load_settings(environ: Mapping[str, str] | None = None, /, **chosen: object) -> Settings:
    """Settings from the environment; command-line values win. Raises `SettingsError`."""
    return parse_settings(os.environ if environ is None else environ, **chosen)


def find_runtime() -> Runtime:
    """The runtime of this replica: the file its environment names; on a machine whose Ray was not started by `quire`,
    made from its SVC_ variables. Raises `StartRefused`."""
    return read_runtime() if VARIABLE in os.environ else _from_environment()


@cache
def _from_environment() -> Runtime:
    from cluster.bootstrap.shared_runtime import make_joined_runtime

    return make_joined_runtime(load_settings())


def open_runtime_store(runtime: Runtime) -> "Store":
    """The deployment's store; refuses a schema older or newer than this program."""
    from storage.postgres.schema import check_schema
    from storage.store import open_store
    from storage.values import crash_points as crash

    crash.arm(runtime.settings.crash_at)
    settings = runtime.settings
    store = open_store(runtime.dsn, settings.workdir, signing_key=runtime.signing_key, blobs_url=settings.blobs)
    check_schema(store.db)
    return store


def hold_license(runtime: Runtime) -> "LicenseHolder":
    """The licence in force; a renewal is read from the same file. Raises `LicenseRefused`."""
    from datetime import UTC, datetime

    from serve_apps.access.license import verify_license
    from serve_apps.access.license_holder import LicenseHolder

    keys = license_keys(runtime)
    token = runtime.license_file.read_text().strip()
    license = verify_license(token, keys, datetime.now(UTC))
    return LicenseHolder(license, keys, read_token=lambda: runtime.license_file.read_text().strip())


def license_keys(runtime: Runtime) -> dict[str, bytes]:
    """Pinned keys of this installation and the workdir's own development key."""
    from serve_apps.access.license_keys import read_public_keys

    return read_public_keys(LICENSE_KEYS) | runtime.license_keys
