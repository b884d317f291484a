"""Preparation before the supervisor runs: secrets, licence, database, and the runtime file of every process.

Settings become a `Runtime`. Every refusal is a `ClusterError` that says what to do.
"""

from pathlib import Path

from quire.cluster.bootstrap.addresses import base_url, check_address
from quire.cluster.bootstrap.licensing import license_of
from quire.cluster.bootstrap.vlm import settle_vlm
from quire.cluster.compose.plugins import load_plugins
from quire.cluster.errors import StartRefused
from quire.cluster.runtime import Runtime, keep_signing_key, write_runtime
from quire.cluster.start.checks import (
    check_embedding,
    check_pii_engine,
    check_recogniser,
    check_second_opinion,
    check_source_root,
)
from quire.cluster.start.database import open_database, settle
from quire.cluster.state import run_folder
from quire.configs.settings import Settings
from quire.serve_apps.access.default_token import load_default_token
from quire.serve_apps.access.keys import InvalidApiKeys, parse_api_keys
from quire.serve_apps.access.loopback import is_loopback_host
from quire.storage.objects.durable_files import replace_file


def prepare(settings: Settings) -> Runtime:
    """Create or find in the workdir everything a replica is built from. Raises `StartRefused`."""
    settings.workdir.mkdir(mode=0o711, parents=True, exist_ok=True)
    keep_index_private(settings.rag_db)
    check_address(settings)
    check_recogniser(settings)
    check_second_opinion(settings)
    settings = settle_vlm(settings)
    check_pii_engine(settings)
    check_embedding(settings)
    check_source_root(settings)
    load_plugins(settings.plugins)
    try:
        ring = parse_api_keys(settings.api_keys or "")
    except InvalidApiKeys as error:
        raise StartRefused(f"SVC_API_KEYS: {error}") from None
    if not (len(ring) or is_loopback_host(settings.host)):
        raise StartRefused(
            f"SVC_API_KEYS: required, because the service listens beyond this machine (SVC_HOST={settings.host}); "
            "for example `SVC_API_KEYS=acme=$(openssl rand -hex 20)`"
        )
    license_file, keys = license_of(settings)
    dsn = open_database(settings).dsn
    settle(settings, dsn)
    runtime = Runtime(
        settings=settings,
        dsn=dsn,
        dsn_file=_dsn_file(settings.workdir, dsn),
        base_url=base_url(settings),
        license_file=license_file,
        license_keys=keys,
        token_file=None if len(ring) else mint_token(settings.workdir),
        signing_key=keep_signing_key(settings),
    )
    write_runtime(runtime)
    return runtime


def mint_token(workdir: Path) -> Path:
    """Return the file of the default token (0600), created on the first start."""
    path = run_folder(workdir).parent / "token"
    load_default_token(path)
    return path


def keep_index_private(rag_db: str | None) -> None:
    """Restrict the folder of the search index, which holds text of every tenant, to its owner. Buckets are skipped."""
    if rag_db is None or "://" in rag_db:
        return
    folder = Path(rag_db)
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        folder.chmod(0o700)
    except OSError as error:
        raise StartRefused(f"SVC_RAG_DB: {folder} cannot be made or closed to others ({error.strerror})") from None


def _dsn_file(workdir: Path, dsn: str) -> Path:
    path = run_folder(workdir) / "dsn"
    replace_file(path, dsn.encode())
    return path
