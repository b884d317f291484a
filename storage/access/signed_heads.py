"""The newest link of every audit chain, signed and kept outside the database, where database users cannot change it.

The chain alone reveals changed entries. A chain that is rewritten, cut off or deleted as a whole looks intact. A signed
head says which chains must exist, and which hash must be at which position. The key is never in the database. An
attacker with this machine's files and its key can forge both; keep copies elsewhere against that.
"""

import hashlib
import hmac
import json
from dataclasses import dataclass
from pathlib import Path

from quire.storage.objects.durable_files import replace_file
from quire.storage.postgres.database import Database
from quire.storage.values.rows import Scope
from quire.storage.values.signing import Signer

FOLDER, FILE = "audit", "heads.json"
_HEADS = "select tenant, org, seq, hash from audit_heads order by tenant, org"
_AT = "select hash from audit where tenant = %(tenant)s and org = %(org)s and seq = %(seq)s"


class HeadsForged(Exception):
    """The file of signed heads was changed or signed with another key."""


@dataclass(frozen=True, slots=True)
class SignedHead:
    """`hash` (hex) is that of entry `seq`."""

    seq: int
    hash: str


class SignedHeads:
    """One file below the workdir (mode 0600), written by the process that seals the audit trail."""

    def __init__(self, workdir: Path, signer: Signer) -> None:
        self._path = workdir / FOLDER / FILE
        self._key = signer.derive("audit-heads")

    def read(self) -> dict[Scope, SignedHead]:
        """Return the signed head of each chain; empty before the first signing. Raises `HeadsForged`."""
        if not self._path.exists():
            return {}
        try:
            stored = json.loads(self._path.read_bytes())
            body, mac = stored["heads"], bytes.fromhex(stored["mac"])
            is_genuine = hmac.compare_digest(mac, self._sign(body))
            heads = {Scope(tenant=entry[0], org=entry[1]): SignedHead(entry[2], entry[3]) for entry in body}
        except (ValueError, KeyError, TypeError, IndexError) as error:
            raise HeadsForged("unreadable") from error
        if not is_genuine:
            raise HeadsForged("wrong signature")
        return heads

    def sign(self, db: Database) -> int:
        """Sign heads that continue the signed ones and return how many are new.

        A chain that does not hold its signed entry keeps its old head, so that the evidence stays.

        Raises:
            HeadsForged: The file of signed heads is not genuine.
        """
        known = self.read()
        fresh = dict(known)
        for row in db.fetch_all(_HEADS):
            scope, head = Scope(tenant=row["tenant"], org=row["org"]), SignedHead(row["seq"], bytes(row["hash"]).hex())
            old = known.get(scope)
            if old is None or (head.seq > old.seq and _holds(db, scope, old)):
                fresh[scope] = head
        changed = sum(known.get(scope) != head for scope, head in fresh.items())
        if changed:
            self._write(fresh)
        return changed

    def check(self, db: Database) -> dict[Scope, int]:
        """Return chains that do not hold their signed entry, with that entry's `seq`. Raises `HeadsForged`."""
        return {scope: head.seq for scope, head in self.read().items() if not _holds(db, scope, head)}

    def _write(self, heads: dict[Scope, SignedHead]) -> None:
        body = [[s.tenant, s.org, head.seq, head.hash] for s, head in sorted(heads.items(), key=_by_name)]
        self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        replace_file(self._path, json.dumps({"heads": body, "mac": self._sign(body).hex()}).encode())

    def _sign(self, body: object) -> bytes:
        return hmac.digest(self._key, json.dumps(body, separators=(",", ":")).encode(), hashlib.sha256)


def _by_name(item: tuple[Scope, SignedHead]) -> tuple[str, str]:
    return item[0].tenant, item[0].org


def _holds(db: Database, scope: Scope, head: SignedHead) -> bool:
    """Return whether the chain has this entry with this hash."""
    row = db.fetch_one(_AT, {"tenant": scope.tenant, "org": scope.org, "seq": head.seq})
    return row is not None and bytes(row["hash"]).hex() == head.hash
