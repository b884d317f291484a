"""`quire license`: make signing keys, issue, show and renew licence tokens. Files and text only; starts nothing.

Imports neither Ray nor settings, so it answers at once on any machine.
"""

import json
import secrets
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from quire.serve_apps.access.license import (
    TERM_DAYS,
    License,
    LicenseRefused,
    issue_license,
    read_license,
    renew_license,
)
from quire.serve_apps.access.license_keys import (
    InvalidLicenseKey,
    check_kid,
    raw_public,
    read_private_key,
    read_public_keys,
    write_private_key,
    write_public_key,
)
from quire.storage.objects.durable_files import replace_file

_KEYS = Path(__file__).resolve().parents[3] / "configs" / "license_keys"

_workdir = click.option("--workdir", type=click.Path(path_type=Path), help="Folder with license.token.")
_public_dir = click.option("--public-dir", type=click.Path(path_type=Path), default=_KEYS, show_default=False,
                           help="Folder of pinned public keys (default: configs/license_keys).")  # fmt: skip
_kid = click.option("--kid", required=True, help="Name of the signing key.")
_key = click.option("--key", "key_file", required=True, type=click.Path(path_type=Path), help="Private key file.")
_days = click.option("--days", type=click.IntRange(1, 3660), default=TERM_DAYS, show_default=True)


class _Refused(click.ClickException):
    exit_code = 1


@click.group("license")
def license_group() -> None:
    """Licence keys and tokens (Ed25519, verified offline)."""


@license_group.command()
@_kid
@click.option("--out", required=True, type=click.Path(path_type=Path), help="File for the private key (mode 0600).")
@_public_dir
@_workdir
def keygen(kid: str, out: Path, public_dir: Path, workdir: Path | None) -> None:
    """Make a signing key; its public half goes to the folder of pinned keys."""
    key = Ed25519PrivateKey.generate()
    try:
        check_kid(kid)
        write_private_key(key, _within(workdir, out))
        public = write_public_key(key, kid, public_dir)
    except (InvalidLicenseKey, OSError) as error:
        raise _Refused(str(error)) from None
    click.echo(f"private key: {out}\npublic key: {public}")


@license_group.command()
@_key
@_kid
@click.option("--customer", required=True)
@click.option("--plan", default="personal", show_default=True)
@click.option("--feature", "features", multiple=True, help="Gated feature, e.g. audit_export; repeatable.")
@click.option("--max-pages", type=click.IntRange(1, 10**12), default=10_000, show_default=True, help="Pages per month.")
@_days
@_workdir
def issue(key_file: Path, kid: str, customer: str, plan: str, features: tuple[str, ...], max_pages: int, days: int,
          workdir: Path | None) -> None:  # fmt: skip
    """Sign a new licence and print its token."""
    now = datetime.now(UTC)
    license = License(
        license_id=f"lic-{secrets.token_hex(10)}",
        customer=customer,
        plan=plan,
        features=features,
        max_pages_per_month=max_pages,
        issued_at=now,
        not_before=now,
        expires_at=now,
        kid=kid,
    )
    _sign(renew_license(license, now, days), key_file, workdir)


@license_group.command()
@click.argument("token", required=False, envvar="SVC_LICENSE")
@_public_dir
@_workdir
def show(token: str | None, public_dir: Path, workdir: Path | None) -> None:
    """Check a token and print what it holds as JSON; exit 1 when it is refused."""
    license = _read(token, read_public_keys(public_dir), workdir)
    click.echo(json.dumps(_facts(license, datetime.now(UTC)), indent=2))


@license_group.command()
@click.argument("token", required=False, envvar="SVC_LICENSE")
@_key
@_kid
@_days
@_workdir
def renew(token: str | None, key_file: Path, kid: str, days: int, workdir: Path | None) -> None:
    """Sign the same licence (same license_id) for a new term; with --workdir a running service takes it by itself."""
    public = raw_public(_private_key(key_file))
    license = _read(token, {check_kid(kid): public}, workdir)
    _sign(renew_license(license, datetime.now(UTC), days), key_file, workdir)


def _within(workdir: Path | None, path: Path) -> Path:
    return workdir / path if workdir and not path.is_absolute() else path


def _private_key(path: Path) -> Ed25519PrivateKey:
    try:
        return read_private_key(path)
    except InvalidLicenseKey as error:
        raise _Refused(str(error)) from None


def _sign(license: License, key_file: Path, workdir: Path | None) -> None:
    try:
        token = issue_license(license, _private_key(key_file))
    except LicenseRefused as refused:
        raise _Refused(refused.detail) from None
    if workdir:
        workdir.mkdir(parents=True, exist_ok=True)
        replace_file(workdir / "license.token", f"{token}\n".encode())
    click.echo(token)


def _read(token: str | None, keys: dict[str, bytes], workdir: Path | None) -> License:
    try:
        text = token or ((workdir / "license.token").read_text() if workdir else "")
        return read_license(text.strip(), keys)
    except (LicenseRefused, OSError) as error:
        raise _Refused(str(error)) from None


def _facts(license: License, now: datetime) -> dict[str, Any]:
    return {
        "license_id": license.license_id,
        "customer": license.customer,
        "plan": license.plan,
        "features": list(license.features),
        "max_pages_per_month": license.max_pages_per_month,
        "issued_at": license.issued_at.isoformat(),
        "not_before": license.not_before.isoformat(),
        "expires_at": license.expires_at.isoformat(),
        "kid": license.kid,
        "valid_now": license.not_before <= now < license.expires_at,
        "days_left": max(0, (license.expires_at - now).days),
    }
