"""What happens before the supervisor runs: database, schema, secrets, licence, ports, and the runtime file.

In come settings, out goes a running supervisor process and its state. Every refusal is a `ClusterError` that says what
to do. Starts no Ray itself.
"""

import socket
import subprocess
import sys
import time
from datetime import UTC, datetime
from pathlib import Path

from cluster.environment import service_environment
from cluster.errors import StartFailed, StartRefused
from cluster.plugins import load_plugins
from cluster.ports import choose_ports, is_free
from cluster.runtime import LICENSE_KEYS, Runtime, keep_signing_key, write_runtime
from cluster.state import State, read_state, run_folder, scratch_folder, this_process, write_private, write_state
from configs.kinds import Proxy
from configs.settings import Settings
from models.cdom.tree import SERVICE_VERSION

LOG_BYTES = 10_000_000


def prepare(settings: Settings) -> Runtime:
    """Everything a replica is built from, made or found in the workdir. Raises `StartRefused`."""
    from serve_apps.access.keys import InvalidApiKeys, parse_api_keys

    settings.workdir.mkdir(mode=0o711, parents=True, exist_ok=True)
    check_address(settings)
    check_recogniser(settings)
    settings = settle_vlm(settings)
    check_pii_engine(settings)
    check_embedding(settings)
    load_plugins(settings.plugins)
    try:
        ring = parse_api_keys(settings.api_keys or "")
    except InvalidApiKeys as error:
        raise StartRefused(f"SVC_API_KEYS: {error}") from None
    license_file, keys = license_of(settings)
    dsn = open_database(settings)
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


def base_url(settings: Settings) -> str:
    """How this machine itself reaches the service."""
    host = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(settings.host, settings.host)  # noqa: S104
    return f"http://{f'[{host}]' if ':' in host and not host.startswith('[') else host}:{settings.port}"


def check_recogniser(settings: Settings) -> None:
    """Languages the recogniser has no letters for are refused now, not at the first scan."""
    from models.neural.ocr.langs import OcrEngine, UnsupportedLanguage, check_langs

    try:
        check_langs(OcrEngine(settings.ocr_engine.value), settings.ocr_langs)
    except UnsupportedLanguage as error:
        raise StartRefused(f"SVC_OCR_LANGS: {error.detail}") from None


def check_pii_engine(settings: Settings) -> None:
    """An engine or a language that is not installed is refused now, not when the first document is read."""
    from models.pii.engines import check_engine
    from models.pii.errors import EngineMissing

    try:
        check_engine(settings.pii_engine, settings.pii_languages)
    except EngineMissing as error:
        raise StartRefused(str(error)) from None


def check_embedding(settings: Settings) -> None:
    """A model that cannot embed, or an index filled by another one, is refused now."""
    from cluster.search import check_search

    check_search(settings)


def settle_vlm(settings: Settings, *, others_may_join: bool = False) -> Settings:
    """SVC_VLM_OCR checked, with the model an endpoint serves written into it. Raises `StartRefused`."""
    from cluster.placement import machine_labels
    from cluster.vlm import check_vlm, choose_vlm

    if settings.vlm_ocr is None:
        return settings
    choice = choose_vlm(settings.vlm_ocr, settings.vlm_key)
    check_vlm(choice, machine_labels(), others_may_join=others_may_join)
    return settings.model_copy(update={"vlm_ocr": choice.setting})


def check_address(settings: Settings) -> None:
    """The HTTP port must be ours to take."""
    try:
        socket.getaddrinfo(settings.host, settings.port, type=socket.SOCK_STREAM, flags=socket.AI_NUMERICHOST)
    except OSError:
        raise StartRefused("SVC_HOST: allowed is an IP address of this machine") from None
    if not is_free(settings.port, settings.host):
        raise StartRefused(
            f"SVC_PORT: {settings.host}:{settings.port} is taken by another program or no address of this machine"
        )


def open_database(settings: Settings) -> str:
    """DSN of a database that runs and has this version's schema. Raises `StartRefused`."""
    from storage.errors import StorageError
    from storage.schema import migrate

    dsn = settings.database_url or start_embedded(settings.workdir)
    try:
        migrate(dsn)
    except StorageError as error:
        raise StartRefused(f"the database cannot be used: {error}") from None
    return dsn


def start_embedded(workdir: Path) -> str:
    """DSN of the workdir's own database, started where it is not running."""
    from cluster.embedded_postgres import EmbeddedPostgres
    from cluster.postgres_binaries import PostgresUnavailable

    try:
        return EmbeddedPostgres(workdir).start()
    except PostgresUnavailable as error:
        raise StartRefused(str(error)) from None


def license_of(settings: Settings) -> tuple[Path, dict[str, bytes]]:
    """The file of the licence in force and keys beyond the pinned ones. Raises `StartRefused`."""
    from serve_apps.access.development import (
        DevelopmentLicenseRefused,
        check_development_allowed,
        development_license,
    )
    from serve_apps.access.license import LicenseRefused

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
    """The token verified and kept in license.token, where a renewal of the same licence may already lie."""
    from serve_apps.access.license import LicenseRefused, verify_license
    from serve_apps.access.license_keys import read_public_keys

    keys, now, path = read_public_keys(LICENSE_KEYS), datetime.now(UTC), workdir / "license.token"
    kept = path.read_text().strip() if path.exists() else ""
    try:
        renewed = verify_license(kept, keys, now)
    except LicenseRefused:
        renewed = None
    try:
        given = verify_license(token, keys, now)
    except LicenseRefused:
        if renewed is not None and _same_license(token, renewed.license_id, keys):
            return path
        raise
    if renewed is None or renewed.license_id != given.license_id or renewed.expires_at < given.expires_at:
        write_private(path, token.encode())
    return path


def _same_license(token: str, license_id: str, keys: dict[str, bytes]) -> bool:
    """An expired but genuine token of the licence that has been renewed."""
    from serve_apps.access.license import LicenseRefused, read_license

    try:
        return read_license(token, keys).license_id == license_id
    except LicenseRefused:
        return False


def mint_token(workdir: Path) -> Path:
    """The file of the default token (0600), minted on first boot."""
    from serve_apps.access.default_token import load_default_token

    path = run_folder(workdir).parent / "token"
    load_default_token(path)
    return path


def _dsn_file(workdir: Path, dsn: str) -> Path:
    path = run_folder(workdir) / "dsn"
    write_private(path, dsn.encode())
    return path


def launch(runtime: Runtime) -> State:
    """Start the supervisor in a session of its own and record who it is."""
    settings = runtime.settings
    ports = choose_ports()
    environment = service_environment(
        settings.workdir, ports, write_runtime(runtime), haproxy=settings.proxy is Proxy.HAPROXY
    )
    with log_file(settings.workdir).open("ab") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "cluster.supervisor"],
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
            cwd=scratch_folder(settings.workdir),
        )
    state = State(supervisor=this_process(process.pid), base_url=runtime.base_url, ports=ports, version=SERVICE_VERSION)
    write_state(settings.workdir, state)
    return state


def log_file(workdir: Path) -> Path:
    """The supervisor's log, owner only; a big one starts afresh."""
    folder = workdir / "log"
    folder.mkdir(mode=0o700, exist_ok=True)
    path = folder / "supervisor.log"
    if path.exists() and path.stat().st_size > LOG_BYTES:
        path.replace(path.with_suffix(".log.1"))
    path.touch(mode=0o600)
    return path


def wait_ready(workdir: Path, state: State, timeout_s: float) -> None:
    """Until the supervisor says so. Raises `StartFailed` with the end of its log."""
    until = time.monotonic() + timeout_s
    while time.monotonic() < until:
        now = read_state(workdir)
        if now is not None and now.supervisor == state.supervisor and now.ready:
            return
        if not state.supervisor.alive():
            raise StartFailed(f"the service ended while starting:\n{log_tail(workdir)}")
        time.sleep(0.1)
    raise StartFailed(f"not ready after {timeout_s:.0f} s:\n{log_tail(workdir)}")


def log_tail(workdir: Path, lines: int = 15) -> str:
    """The end of the supervisor's log."""
    return "\n".join(log_file(workdir).read_text(errors="replace").splitlines()[-lines:])
