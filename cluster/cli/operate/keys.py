"""`quire keys add | revoke | list`: keys of a running service, in force within seconds, without a restart."""

import secrets
from pathlib import Path

import click

from quire.cluster.cli.shared.database import opened, runtime_of
from quire.cluster.cli.shared.options import CommandStopped, workdir_option
from quire.cluster.runtime import Runtime
from quire.serve_apps.access.default_token import PREFIX
from quire.serve_apps.access.keys import ApiKey, InvalidApiKeys, digest_secret, parse_api_keys
from quire.serve_apps.access.scopes import KeyScope
from quire.storage.access.api_keys import add_key, list_keys, revoke_key


@click.group("keys")
def keys_group() -> None:
    """Keys of the running service."""


@keys_group.command()
@click.argument("label", metavar="NAME[:SCOPE]")
@workdir_option
def add(label: str, workdir: Path | None) -> None:
    """Make a key and print it once; without a scope it is an admin's."""
    secret = PREFIX + secrets.token_urlsafe(32)
    key = _parse(label, secret)
    with opened(runtime_of(workdir)) as database:
        add_key(database, key.name, key.scope, key.digest)
    click.echo(secret)


@keys_group.command()
@click.argument("label", metavar="NAME[:SCOPE]")
@workdir_option
def revoke(label: str, workdir: Path | None) -> None:
    """End a key, whether it was added here or configured in SVC_API_KEYS."""
    key = _parse(label, "unused")
    runtime = runtime_of(workdir)
    with opened(runtime) as database:
        revoke_key(database, key.name, key.scope, _configured(runtime, key))
    click.echo(f"{key.name}:{key.scope} is revoked")


@keys_group.command("list")
@workdir_option
def show(workdir: Path | None) -> None:
    """Names and scopes, those of SVC_API_KEYS too; secrets are nowhere to be shown from."""
    runtime = runtime_of(workdir)
    with opened(runtime) as database:
        stored = list_keys(database)
    known = {(key.name, key.scope) for key in stored}
    for configured in parse_api_keys(runtime.settings.api_keys or ""):
        if (configured.name, configured.scope) not in known:
            click.echo(f"{configured.name}:{configured.scope}  in force  from SVC_API_KEYS")
    for key in stored:
        state = f"revoked {key.revoked_at:%Y-%m-%d %H:%M}" if key.revoked_at else "in force"
        click.echo(f"{key.name}:{key.scope}  {state}  added {key.created_at:%Y-%m-%d %H:%M}")


def _parse(label: str, secret: str) -> ApiKey:
    try:
        (key,) = parse_api_keys(f"{label}={secret}")
    except (InvalidApiKeys, ValueError) as error:
        raise CommandStopped(str(error)) from None
    return key


def _configured(runtime: Runtime, requested: ApiKey) -> bytes | None:
    """Return the digest of a key from the settings, or of the default token."""
    for key in parse_api_keys(runtime.settings.api_keys or ""):
        if (key.name, key.scope) == (requested.name, requested.scope):
            return key.digest
    if runtime.token_file and (requested.name, requested.scope) == ("default", KeyScope.ADMIN):
        return digest_secret(runtime.token_file.read_text().strip())
    return None
