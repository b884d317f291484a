"""Reading options as they are stored: a password is sealed with the deployment's key, everything else is plain JSON.

It is kept for as long as the document is, because a requeue and page pictures need it again; it is bound to its
document. A row written before passwords were sealed is read as it is.
"""

import base64
import os
from collections.abc import Mapping
from dataclasses import asdict, replace
from typing import Any

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from pydantic import TypeAdapter

from quire.models.cdom.original import ReadOptions
from quire.storage.values.signing import Signer

_OPTIONS = TypeAdapter(ReadOptions)
_PURPOSE = "document-password"
_SEALED = "sealed_password"
_NONCE_BYTES = 12  # bytes of AES-GCM's nonce


def dump_options(signer: Signer, document_id: str, options: ReadOptions) -> dict[str, Any]:
    """JSON data for the document's row."""
    if options.password is None:
        return asdict(options)
    nonce = os.urandom(_NONCE_BYTES)
    sealed = nonce + AESGCM(signer.derive(_PURPOSE)).encrypt(nonce, options.password.encode(), document_id.encode())
    return asdict(replace(options, password=None)) | {_SEALED: base64.b64encode(sealed).decode()}


def load_options(signer: Signer, document_id: str, facts: Mapping[str, Any]) -> ReadOptions:
    """Return the stored options.

    A password that was sealed under another key is left out, so the file then reads as `encrypted`.
    """
    options = _OPTIONS.validate_python({name: value for name, value in facts.items() if name != _SEALED})
    sealed = facts.get(_SEALED)
    if sealed is None:
        return options
    raw = base64.b64decode(sealed)
    try:
        opened = AESGCM(signer.derive(_PURPOSE)).decrypt(raw[:_NONCE_BYTES], raw[_NONCE_BYTES:], document_id.encode())
    except InvalidTag:
        return options
    return replace(options, password=opened.decode())
