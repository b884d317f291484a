"""The values from which every process of a running service is built: settings, database, licence, as one 0600 file.

`up` writes it, replicas read it: Serve's own configuration, command lines and environments name only the file.
"""

import base64
import hashlib
import hmac
import json
import os
import secrets
from dataclasses import asdict, dataclass, field
from pathlib import Path

from quire.cluster.state import run_folder
from quire.configs.settings import Settings
from quire.storage.objects.durable_files import replace_file

VARIABLE = "QUIRE_RUNTIME"
"""Environment variable that names the file in every process of the service."""
LICENSE_KEYS = Path(__file__).resolve().parent.parent / "configs" / "license_keys"
"""Folder of the public keys that every installation trusts."""


@dataclass(frozen=True, kw_only=True)
class Runtime:
    """The runtime of a service.

    Attributes:
        settings: Settings of the deployment.
        dsn: Connection string of the database.
        dsn_file: A 0600 file with the DSN alone, for the autoscaling policy.
        base_url: Address at which this machine reaches the service.
        license_file: Token of the licence in force.
        license_keys: kid → public key of a development licence, in addition to the pinned ones.
        token_file: Default token; None if operator keys replace it.
        signing_key: Key of cursors, webhook secrets and stored passwords.
    """

    settings: Settings
    dsn: str
    dsn_file: Path
    base_url: str
    license_file: Path
    license_keys: dict[str, bytes] = field(default_factory=dict)
    token_file: Path | None = None
    signing_key: bytes


def runtime_file(workdir: Path) -> Path:
    """Return the path of the runtime file of a workdir, which may not exist."""
    return workdir / "run" / "runtime.json"


def write_runtime(runtime: Runtime) -> Path:
    """Store the runtime, readable by its owner only, and return the file."""
    facts = asdict(runtime) | {"settings": runtime.settings.model_dump(mode="json")}
    run_folder(runtime.settings.workdir)
    path = runtime_file(runtime.settings.workdir)
    replace_file(path, json.dumps(facts, default=_as_json).encode())
    return path


def read_runtime(path: Path | None = None) -> Runtime:
    """Read the file `path`, or the one `QUIRE_RUNTIME` names. Raises `KeyError` if neither is given."""
    raw = json.loads((path or Path(os.environ[VARIABLE])).read_bytes())
    return Runtime(
        settings=Settings.model_validate(raw["settings"]),
        dsn=raw["dsn"],
        dsn_file=Path(raw["dsn_file"]),
        base_url=raw["base_url"],
        license_file=Path(raw["license_file"]),
        license_keys={kid: base64.b64decode(key) for kid, key in raw["license_keys"].items()},
        token_file=Path(raw["token_file"]) if raw["token_file"] else None,
        signing_key=base64.b64decode(raw["signing_key"]),
    )


def derive_signing_key(secret: str) -> bytes:
    """Derive the signing key, which is the same on every machine that knows the secret.

    Another secret invalidates cursors and makes webhook secrets and stored passwords unreadable.
    """
    return hmac.new(secret.encode(), b"quire signing key 1", hashlib.sha256).digest()


def keep_signing_key(settings: Settings) -> bytes:
    """Return the key of SVC_SIGNING_KEY, or that of the workdir's own file, which is created once."""
    if settings.signing_key:
        return derive_signing_key(settings.signing_key)
    path = run_folder(settings.workdir) / "signing-key"
    if not path.exists():
        replace_file(path, secrets.token_bytes(32))
    return path.read_bytes()


def _as_json(value: object) -> str:
    return base64.b64encode(value).decode() if isinstance(value, bytes) else str(value)
