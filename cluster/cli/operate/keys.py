"""`quire keys add | rotate | revoke | list`: keys of a running service, in force within seconds, without a restart."""

import secrets
from datetime import UTC, datetime
from pathlib import Path

import click

from quire.cluster.cli.shared.database import opened, runtime_of
from quire.cluster.cli.shared.options import CommandStopped, workdir_option
from quire.cluster.runtime import Runtime
from quire.serve_apps.access.default_token import PREFIX
from quire.serve_apps.access.keys import ApiKey, InvalidApiKeys, default_key, parse_api_keys
from quire.storage.access.api_keys import StoredKey, add_key, last_key_uses, list_keys, revoke_key, rotate_key

_ID_BYTES = 4  # bytes of a digest that tell the keys of a deployment apart
_TIME = "%Y-%m-%d %H:%M"
_days_option = click.option("--days", type=click.IntRange(1, 36_500), help="Days until the key ends.")


@click.group("keys")
def keys_group() -> None:
    """Keys of the running service."""


@keys_group.command()
@click.argument("label", metavar="NAME[:SCOPE]")
@_days_option
@workdir_option
def add(label: str, days: int | None, workdir: Path | None) -> None:
    """Make a key and print it once; without a scope it is an admin's."""
    secret = _new_secret()
    key = _parse(label, secret)
    with opened(runtime_of(workdir)) as database:
        add_key(database, key.name, key.scope, key.digest, days)
    click.echo(secret)


@keys_group.command()
@click.argument("label", metavar="NAME[:SCOPE]")
@click.option(
    "--overlap-days", type=click.IntRange(0, 365), default=7, show_default=True,
    help="Days for which the old secret remains valid.",
)  # fmt: skip
@_days_option
@workdir_option
def rotate(label: str, overlap_days: int, days: int | None, workdir: Path | None) -> None:
    """Make a new secret for a key and print it once; the old one remains valid for some days."""
    secret, runtime = _new_secret(), runtime_of(workdir)
    key = _parse(label, secret)
    configured = _configured(runtime, key)
    with opened(runtime) as database:
        rotate_key(
            database, key.name, key.scope, key.digest, overlap_days=overlap_days, days=days, configured=configured
        )
    click.echo(secret)


@keys_group.command()
@click.argument("label", metavar="NAME[:SCOPE]")
@click.option("--id", "key_id", metavar="ID", help="Only this key, by the id that `quire keys list` shows.")
@workdir_option
def revoke(label: str, key_id: str | None, workdir: Path | None) -> None:
    """End a key, whether it was added here or configured in SVC_API_KEYS."""
    key, runtime = _parse(label, _new_secret()), runtime_of(workdir)
    try:
        only = bytes.fromhex(key_id) if key_id else None
    except ValueError:
        raise CommandStopped(f"{key_id} is not an id; `quire keys list` shows them") from None
    with opened(runtime) as database:
        revoke_key(database, key.name, key.scope, _configured(runtime, key), only=only)
    click.echo(f"{key.name}:{key.scope} is revoked" + (f" ({key_id})" if key_id else ""))


@keys_group.command("list")
@workdir_option
def show(workdir: Path | None) -> None:
    """All keys with id, end and last use; secrets are not stored and cannot be shown."""
    runtime = runtime_of(workdir)
    with opened(runtime) as database:
        stored, uses = {key.digest: key for key in list_keys(database)}, last_key_uses(database)
    configured = _keys_of_settings(runtime)
    source = "from SVC_API_KEYS" if runtime.settings.api_keys else "the default token"
    for key in configured:
        _print(key.digest, f"{key.name}:{key.scope}", stored.get(key.digest), source, uses)
    known = {key.digest for key in configured}
    for row in stored.values():
        if not row.configured and row.digest not in known:
            _print(row.digest, f"{row.name}:{row.scope}", row, f"added {row.created_at:{_TIME}}", uses)


def _print(digest: bytes, label: str, row: StoredKey | None, source: str, uses: dict[bytes, datetime]) -> None:
    used = f"last used {uses[digest]:{_TIME}}" if digest in uses else "never used"
    click.echo("  ".join([digest[:_ID_BYTES].hex(), label, _state(row), source, used]))


def _state(row: StoredKey | None) -> str:
    if row is not None and row.revoked_at is not None:
        return f"revoked {row.revoked_at:{_TIME}}"
    if row is None or row.ends_at is None:
        return "in force"
    return f"{'ended' if row.ends_at <= datetime.now(UTC) else 'in force until'} {row.ends_at:{_TIME}}"


def _new_secret() -> str:
    return PREFIX + secrets.token_urlsafe(32)


def _parse(label: str, secret: str) -> ApiKey:
    try:
        (key,) = parse_api_keys(f"{label}={secret}")
    except (InvalidApiKeys, ValueError) as error:
        raise CommandStopped(str(error)) from None
    return key


def _configured(runtime: Runtime, requested: ApiKey) -> bytes | None:
    """Return the digest of a key from the settings, or of the default token."""
    for key in _keys_of_settings(runtime):
        if (key.name, key.scope) == (requested.name, requested.scope):
            return key.digest
    return None


def _keys_of_settings(runtime: Runtime) -> list[ApiKey]:
    """Return the keys of SVC_API_KEYS, or the default token."""
    if runtime.token_file:
        return [default_key(runtime.token_file.read_text().strip())]
    return list(parse_api_keys(runtime.settings.api_keys or ""))
