"""Licence signing keys on disk: private halves as 0600 PEM files, public halves as `<kid>.pub` in a folder.

`verify_license` receives the folder's content as a map from kid to public key.
"""

import re
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
    load_pem_private_key,
    load_pem_public_key,
)

from quire.storage.objects.durable_files import create_file

LOCAL_PREFIX = "local-"
"""Kids of development licences; never taken from the pinned folder."""
_KID = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}")


class InvalidLicenseKey(ValueError):
    """A key file cannot be used; the text names the file, never its content."""

    code = "invalid-license-key"


def check_kid(kid: str) -> str:
    """Return `kid`. Raises `InvalidLicenseKey` if it cannot name a file and a key."""
    if not _KID.fullmatch(kid):
        raise InvalidLicenseKey(f"a kid must match {_KID.pattern}")
    return kid


def raw_public(key: Ed25519PrivateKey | Ed25519PublicKey) -> bytes:
    """Return the 32 raw bytes of the public key."""
    public = key.public_key() if isinstance(key, Ed25519PrivateKey) else key
    return public.public_bytes(Encoding.Raw, PublicFormat.Raw)


def write_private_key(key: Ed25519PrivateKey, path: Path) -> None:
    """Write the key to a new file that only its owner may read.

    Raises:
        FileExistsError: The file exists; it is never overwritten.
    """
    create_file(path, key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))


def write_public_key(key: Ed25519PrivateKey, kid: str, folder: Path) -> Path:
    """Write `<folder>/<kid>.pub` and return its path. Raises `FileExistsError` if the kid is in use."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{check_kid(kid)}.pub"
    create_file(path, key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo))
    path.chmod(0o644)
    return path


def read_private_key(path: Path) -> Ed25519PrivateKey:
    """Read an Ed25519 private key from a PEM file.

    Raises:
        InvalidLicenseKey: The file is unreadable or has another kind of key.
    """
    try:
        key = load_pem_private_key(path.read_bytes(), password=None)
    except (OSError, ValueError, TypeError):
        raise InvalidLicenseKey(f"{path}: not a readable private key") from None
    if not isinstance(key, Ed25519PrivateKey):
        raise InvalidLicenseKey(f"{path}: not an Ed25519 key")
    return key


def read_public_keys(folder: Path) -> dict[str, bytes]:
    """Return the public keys of all `*.pub` files in `folder`, 32 raw bytes by key id.

    Raises:
        InvalidLicenseKey: A file is malformed, or its key id starts with `local-`.
    """
    keys: dict[str, bytes] = {}
    for path in sorted(folder.glob("*.pub")):
        kid = check_kid(path.stem)
        if kid.startswith(LOCAL_PREFIX):
            raise InvalidLicenseKey(f"{path}: {LOCAL_PREFIX}… is reserved for development licences")
        keys[kid] = _read_public_key(path)
    return keys


def _read_public_key(path: Path) -> bytes:
    try:
        key = load_pem_public_key(path.read_bytes())
    except (OSError, ValueError):
        raise InvalidLicenseKey(f"{path}: not a readable public key") from None
    if not isinstance(key, Ed25519PublicKey):
        raise InvalidLicenseKey(f"{path}: not an Ed25519 key")
    return raw_public(key)
