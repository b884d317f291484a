"""The runtime of a machine that shares a service with others: built from settings that mean the same on all of them.

Database, bucket, keys and licence are given by value and become a runtime in the machine's own workdir, or a refusal
that names the ones that are local.
"""

from quire.cluster.bootstrap.addresses import base_url
from quire.cluster.bootstrap.licensing import license_of
from quire.cluster.bootstrap.vlm import settle_vlm
from quire.cluster.errors import StartRefused
from quire.cluster.runtime import Runtime, derive_signing_key, write_runtime
from quire.cluster.state import run_folder
from quire.configs.settings import Settings
from quire.serve_apps.access.keys import InvalidApiKeys, parse_api_keys
from quire.storage.objects.durable_files import replace_file


def check_shared(settings: Settings) -> None:
    """Raise `StartRefused` naming every setting without which several machines cannot share the service."""
    missing = {
        "SVC_DATABASE_URL (the embedded database serves one machine only)": settings.database_url,
        "SVC_BLOBS (a workdir is local: originals and trees must be in a bucket)": settings.blobs,
        "SVC_API_KEYS (the default token is a file of one machine)": settings.api_keys,
        "SVC_LICENSE (a development licence is for one machine)": settings.license,
    }
    lines = [name for name, value in missing.items() if not value]
    if settings.rag_db and not settings.rag_db.startswith("s3://"):
        lines.append("SVC_RAG_DB as s3://bucket/prefix (a folder is local)")
    if lines:
        raise StartRefused("a cluster of several machines needs " + "; ".join(lines))


def make_joined_runtime(settings: Settings) -> Runtime:
    """Check the settings of a machine that joins, and write its runtime into its workdir. Raises `StartRefused`."""
    check_shared(settings)
    settings.workdir.mkdir(mode=0o711, parents=True, exist_ok=True)
    assert settings.database_url is not None
    assert settings.api_keys is not None
    try:
        parse_api_keys(settings.api_keys)
    except InvalidApiKeys as error:
        raise StartRefused(f"SVC_API_KEYS: {error}") from None
    dsn, key = settings.database_url, settings.signing_key or settings.api_keys
    license_file, keys = license_of(settings)
    settings = settle_vlm(settings, others_may_join=True)
    dsn_file = run_folder(settings.workdir) / "dsn"
    replace_file(dsn_file, dsn.encode())
    runtime = Runtime(
        settings=settings,
        dsn=dsn,
        dsn_file=dsn_file,
        base_url=base_url(settings),
        license_file=license_file,
        license_keys=keys,
        signing_key=derive_signing_key(key),
    )
    write_runtime(runtime)
    return runtime
