"""Uploads directly into the bucket: a signed URL now, a job that names the upload id later.

An upload id is a signed statement of what was declared and until when, bound to the caller's tenant and organisation.
Nothing about it is stored. Size and hash are checked when a job takes the file.
"""

import base64
import hashlib
import json
import secrets
import time
from dataclasses import dataclass

from quire.models.cdom.original import clean_name
from quire.models.extract.formats.sniffing.signatures import HEAD_BYTES
from quire.serve_apps.api.http.refusals import UnknownUpload, UploadMismatch, UploadMissing, UploadsNotConfigured
from quire.storage.objects.blobs import BlobWriter
from quire.storage.store import Store
from quire.storage.values.errors import NotFound
from quire.storage.values.rows import Scope, StoredBlob

_PURPOSE, _PREFIX = "direct-upload", "upl_"
_SIGNATURE_BYTES = 16  # bytes of a signature of `Signer`
_LONGEST_ID = 2048  # characters: a name of 255 bytes in JSON, in base64


@dataclass(frozen=True, slots=True)
class DeclaredFile:
    """A file that a client will put into the bucket. `sha256` is in hex and optional; `object_name` is random."""

    name: str
    bytes: int
    sha256: str | None
    expires_at: int
    object_name: str


@dataclass(frozen=True, slots=True)
class TakenFile:
    """A file that a job took: its name, its first bytes and the stored original."""

    name: str
    head: bytes
    blob: StoredBlob


def declare_file(name: str, size: int, sha256: str | None, valid_s: int) -> DeclaredFile:
    """Return the declaration of a new upload."""
    return DeclaredFile(clean_name(name), size, sha256, int(time.time()) + valid_s, secrets.token_hex(16))


def make_upload_id(store: Store, scope: Scope, declared: DeclaredFile) -> str:
    """Return the signed id of an upload."""
    facts = [declared.name, declared.bytes, declared.sha256, declared.expires_at, declared.object_name]
    message = json.dumps(facts, separators=(",", ":")).encode()
    signature = store.signer.sign(_purpose(scope), message)
    return _PREFIX + base64.urlsafe_b64encode(signature + message).decode().rstrip("=")


def read_upload_id(store: Store, scope: Scope, upload_id: str) -> DeclaredFile:
    """Return what an upload id of this scope declares.

    Raises:
        UnknownUpload: It is malformed, expired or another tenant's.
    """
    text = upload_id.removeprefix(_PREFIX)
    try:
        raw = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)) if len(text) <= _LONGEST_ID else b""
    except ValueError:
        raw = b""
    signature, message = raw[:_SIGNATURE_BYTES], raw[_SIGNATURE_BYTES:]
    if not store.signer.verify(_purpose(scope), message, signature):
        raise UnknownUpload("an upload id is unknown; request one with POST /v1/uploads")
    declared = DeclaredFile(*json.loads(message))
    if declared.expires_at < time.time():
        raise UnknownUpload("an upload id has expired; request a new one with POST /v1/uploads and send the file again")
    return declared


def take_file(store: Store, declared: DeclaredFile) -> TakenFile:
    """Copy a file from the uploads to the originals. It blocks: call it in a thread.

    Raises:
        UploadsNotConfigured: Originals are on a local disk.
        UploadMissing: No file was put at the URL yet.
        UploadMismatch: Its size or hash is not the declared one.
    """
    if store.uploads is None:
        raise UploadsNotConfigured("originals are on a local disk here; send the file itself")
    writer = store.blobs.new_writer()
    try:
        head = _copy(store, declared, writer)
        return TakenFile(declared.name, head, writer.commit())
    except NotFound:
        writer.abort()
        raise UploadMissing(f"no file was put at the URL of {declared.name}; PUT it, then submit again") from None
    except BaseException:
        writer.abort()
        raise


def _copy(store: Store, declared: DeclaredFile, writer: BlobWriter) -> bytes:
    """Copy the declared bytes and return the first ones. Never read more than one piece beyond the declared size."""
    assert store.uploads is not None
    head, size, digest = bytearray(), 0, hashlib.sha256()
    for piece in store.uploads.read(declared.object_name):
        size += len(piece)
        if size > declared.bytes:
            raise UploadMismatch(f"{declared.name} has more than the declared {declared.bytes} bytes")
        head += piece[: HEAD_BYTES - len(head)]
        digest.update(piece)
        writer.write(piece)
    if size != declared.bytes:
        raise UploadMismatch(f"{declared.name} has {size} bytes instead of the declared {declared.bytes}")
    if declared.sha256 is not None and digest.hexdigest() != declared.sha256:
        raise UploadMismatch(f"{declared.name} does not have the declared SHA-256")
    return bytes(head)


def _purpose(scope: Scope) -> str:
    return f"{_PURPOSE}:{json.dumps([scope.tenant, scope.org])}"
