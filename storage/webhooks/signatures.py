"""Signatures of deliveries: the interface's and the Standard Webhooks one, over the same frozen bytes.

Secrets are stored sealed with a key derived from the deployment's signing key, and are shown once.
"""

import base64
import binascii
import hashlib
import hmac
import os
from collections.abc import Sequence
from secrets import token_bytes

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from quire.storage.values.errors import StoreUnavailable
from quire.storage.values.signing import Signer

PREFIX = "whsec_"
_PURPOSE = "webhook-secret"
_NONCE_BYTES = 12  # bytes of AES-GCM's nonce


def new_secret() -> str:
    """Return 24 random bytes in the form of Standard Webhooks."""
    return PREFIX + base64.b64encode(token_bytes(24)).decode()


def seal_secret(signer: Signer, webhook_id: str, secret: str) -> bytes:
    """Return the secret as stored, bound to its webhook."""
    nonce = os.urandom(_NONCE_BYTES)
    return nonce + AESGCM(signer.derive(_PURPOSE)).encrypt(nonce, secret.encode(), webhook_id.encode())


def open_secret(signer: Signer, webhook_id: str, sealed: bytes) -> str:
    """Return the sealed secret. Raises StoreUnavailable if it was sealed under another signing key."""
    try:
        opened = AESGCM(signer.derive(_PURPOSE)).decrypt(
            sealed[:_NONCE_BYTES], sealed[_NONCE_BYTES:], webhook_id.encode()
        )
    except InvalidTag:
        raise StoreUnavailable("a webhook's secret was sealed under another signing key") from None
    return opened.decode()


def sign_headers(secrets: Sequence[str], event: str, event_id: str, timestamp: int, body: bytes) -> dict[str, str]:
    """Return every header of a delivery, signed with each of `secrets` (the current one first).

    `X-Svc-Signature` holds one signature, keyed with the text of the current secret as it was shown.
    """
    signed = f"{event_id}.{timestamp}.".encode() + body
    standard = [base64.b64encode(hmac.digest(_standard_key(key), signed, hashlib.sha256)).decode() for key in secrets]
    return {
        "Content-Type": "application/json",
        "User-Agent": "quire-webhooks",
        "X-Svc-Event": event,
        "X-Svc-Signature": "sha256=" + hmac.digest(secrets[0].encode(), body, hashlib.sha256).hex(),
        "webhook-id": event_id,
        "webhook-timestamp": str(timestamp),
        "webhook-signature": " ".join(f"v1,{signature}" for signature in standard),
    }


def _standard_key(secret: str) -> bytes:
    """Return the decoded part after `whsec_`; a secret of another form is used as it is."""
    if not secret.startswith(PREFIX):
        return secret.encode()
    try:
        return base64.b64decode(secret.removeprefix(PREFIX), validate=True)
    except binascii.Error:
        return secret.encode()
