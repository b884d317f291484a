"""Limits on sign-up and sign-in attempts, by address and in total, in rows that all replicas share.

Wrong passwords count for the pair of name and address, so a stranger who knows a name does not lock its owner out. A
browser that has signed in before carries a signed mark and is counted separately.
"""

import hashlib
import hmac
import secrets

from fastapi import Request

from quire.serve_apps.access.addresses import read_networks, true_address
from quire.serve_apps.console.callers.callers import device_of
from quire.serve_apps.console.context.console_state import ConsoleState
from quire.serve_apps.console.context.refusals import TooManyTries
from quire.serve_apps.console.store.rows import Credentials

_HOUR_MIN = 60.0  # minutes
PASSWORD_TRIES = 8
"""Wrong passwords per hour for one name from one address: more than people mistype, too few to guess."""
PASSWORD_TRIES_OVERALL = 100
"""Wrong passwords per hour for one name from all addresses. Known browsers are counted separately."""


async def admit_sign_up(request: Request, running: ConsoleState) -> None:
    """Count a sign-up attempt. A refused address does not use up the total limit. Raises TooManyTries."""
    rules, address = running.resources.sign_ups, _address(request, running)
    if address is not None and rules.per_address:
        await _take(running, f"console:sign-up:{address}", rules.per_address / _HOUR_MIN, rules.per_address)
    if rules.per_hour:
        await _take(running, "console:sign-up", rules.per_hour / _HOUR_MIN, rules.per_hour)


async def admit_sign_in(request: Request, running: ConsoleState) -> None:
    """Count a sign-in before the password is hashed, because hashing costs more than sending. Raises TooManyTries."""
    rules, address = running.resources.sign_ups, _address(request, running)
    if address is not None and rules.sign_ins:
        await _take(running, f"console:sign-in:{address}", rules.sign_ins, rules.sign_ins)


async def admit_password(request: Request, running: ConsoleState, email: str, credentials: Credentials | None) -> str:
    """Count a password attempt and return its bucket. Unknown names are counted alike. Raises TooManyTries."""
    name = hashlib.sha256(email.encode("utf-8", "surrogateescape")).hexdigest()
    device = known_device(request, running, credentials)
    if device is not None:
        bucket = f"console:device:{device}"
    else:
        address = _address(request, running)
        bucket = f"console:password:{name}:{address or ''}"
        if address is not None:
            await _take(running, f"console:password:{name}", PASSWORD_TRIES_OVERALL / _HOUR_MIN, PASSWORD_TRIES_OVERALL)
    await _take(running, bucket, PASSWORD_TRIES / _HOUR_MIN, PASSWORD_TRIES)
    return bucket


async def reset_attempts(running: ConsoleState, bucket: str) -> None:
    """Reset the bucket after a correct password."""
    await running.disk.run(running.db.forget, bucket)


def device_mark(credentials: Credentials) -> str:
    """Return a mark for a browser that has signed in, valid for this account until its password changes."""
    nonce = secrets.token_hex(16)
    return f"{nonce}.{_sign(nonce, credentials)}"


def known_device(request: Request, running: ConsoleState, credentials: Credentials | None) -> str | None:
    """Return the nonce of the browser's mark if this account issued it, otherwise None."""
    nonce, _, signature = device_of(request).partition(".")
    if credentials is None or len(nonce) != 32 or not signature.isascii():
        return None
    return nonce if hmac.compare_digest(signature, _sign(nonce, credentials)) else None


def _sign(nonce: str, credentials: Credentials) -> str:
    message = f"quire console device {credentials.account_id} {nonce}".encode()
    return hmac.digest(credentials.password.encode(), message, hashlib.sha256).hex()


async def _take(running: ConsoleState, bucket: str, per_minute: float, burst: int) -> None:
    wait = await running.sql.run(running.db.take, bucket, per_minute, burst)
    if wait > 0:
        raise TooManyTries("too many attempts; wait before the next one", wait)


def _address(request: Request, running: ConsoleState) -> str | None:
    peer = request.client.host if request.client else None
    trusted = read_networks(running.resources.sign_ups.trusted_proxies)
    return true_address(peer, request.headers.getlist("x-forwarded-for"), trusted)
