"""Dashboard sessions: a signed, expiring cookie that names a key in force, its organisation and a nonce.

The cookie holds no secret: it names the key by a keyed fingerprint of its digest, so a revoked key ends its sessions.
Any replica accepts any session. Independent of frameworks.
"""

import base64
import json
import os
import re
import time
from dataclasses import dataclass
from typing import Any

from quire.serve_apps.access.browser import BrowserCookie, is_token
from quire.serve_apps.access.caller import Caller
from quire.serve_apps.access.keys import ApiKey, KeyRing
from quire.storage.values.signing import Signer

SESSION_COOKIE = BrowserCookie("quire", "quire_session")
LIFETIME_S = 12 * 3600  # seconds of a session: a working day
LOGIN_FORM_S = 3600  # seconds a sign-in form may lie open
_SESSION, _KEY, _CSRF, _LOGIN = "ui-session", "ui-key", "ui-csrf", "ui-login"
_SECONDS = re.compile(r"[0-9]{1,12}")
_SIGNATURE = 16  # bytes of the signature in a cookie


@dataclass(frozen=True, slots=True)
class BrowserSession:
    """A signed-in caller. Every change must carry `csrf`."""

    caller: Caller
    csrf: str


class Sessions:
    """Writes and reads session cookies."""

    def __init__(self, signer: Signer, keys: KeyRing) -> None:
        self._signer, self._keys = signer, keys

    def open(self, key: ApiKey, org: str) -> str:
        """Return the cookie value of a new session. Each has a new nonce, so a session cannot be planted beforehand."""
        facts = {
            "key": self._fingerprint(key),
            "org": org,
            "nonce": os.urandom(16).hex(),
            "until": int(time.time()) + LIFETIME_S,
        }
        message = json.dumps(facts).encode()
        return base64.urlsafe_b64encode(self._signer.sign(_SESSION, message) + message).decode()

    def read(self, cookie: str | None) -> BrowserSession | None:
        """Return the session of a cookie; None if it is forged or expired, or its key was revoked."""
        facts = self._verified(cookie or "")
        if facts is None or facts["until"] < time.time():
            return None
        key = next((key for key in self._keys if self._fingerprint(key) == facts["key"]), None)
        if key is None:
            return None
        return BrowserSession(Caller(key.label, key.name, key.scope, facts["org"]), self._csrf(facts["nonce"]))

    def login_form(self) -> str:
        """Return a token for the sign-in form, valid for one hour."""
        until = str(int(time.time()) + LOGIN_FORM_S)
        return f"{until}.{self._signer.sign(_LOGIN, until.encode()).hex()}"

    def is_login_form(self, token: str) -> bool:
        """Return whether the token is a valid sign-in form token."""
        until, _, signature = token.partition(".")
        if not _SECONDS.fullmatch(until) or int(until) < time.time():
            return False
        return is_token(signature, self._signer.sign(_LOGIN, until.encode()).hex())

    def _csrf(self, nonce: str) -> str:
        return self._signer.sign(_CSRF, nonce.encode()).hex()

    def _fingerprint(self, key: ApiKey) -> str:
        return self._signer.sign(_KEY, key.digest + key.label.encode()).hex()

    def _verified(self, cookie: str) -> dict[str, Any] | None:
        try:
            raw = base64.urlsafe_b64decode(cookie.encode("ascii"))
        except ValueError:
            return None
        signature, message = raw[:_SIGNATURE], raw[_SIGNATURE:]
        if not self._signer.verify(_SESSION, message, signature):
            return None
        facts: dict[str, Any] = json.loads(message)
        return facts
