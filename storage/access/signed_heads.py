"""The newest link of every audit chain, signed and kept outside the database: who can write rows cannot write these.

The chain alone finds what was changed; rewritten and chained anew, cut off or deleted whole it looks well. A head that
was signed says which chains there must be, and which hash must stand at which place of them. The key never is in the
database. Whoever has this machine's files and its key can forge both; keep copies elsewhere against that.
"""

import hashlib
import hmac
import json
import os
from dataclasses import dataclass
from pathlib import Path

from storage.postgres.database import Database
from storage.values.rows import Scope
from storage.values.signing import Signer

FOLDER, FILE = "audit", "heads.json"
_HEADS = "select tenant, org, seq, hash from audit_heads order by tenant, org"
_AT = "select hash from audit where tenant = %(tenant)s and org = %(org)s and seq = %(seq)s"


class HeadsForged(Exception):
    """The file of signed heads is no file of ours: changed, or signed with another key."""


@dataclass(frozen=True, slots=True)
class SignedHead:
    """`hash` (hex) is that of entry `seq`."""

    seq: int
    hash: str


class SignedHeads:
    """One file below the workdir, 0600; written by whoever seals."""

    def __init__(self, workdir: Path, signer: Signer) -> None:
        self._path = workdir / FOLDER / FILE
        self._key = signer.derive("audit-heads")

    def read(self) -> dict[Scope, SignedHead]:
        """Raises `HeadsForged`. Nothing where nothing was signed yet."""
        if not self._path.exists():
            return {}
        try:
            stored = json.loads(self._path.read_bytes())
            body, mac = stored["heads"], bytes.fromhex(stored["mac"])
            whole = hmac.compare_digest(mac, self._sign(body))
            heads = {Scope(tenant=one[0], org=one[1]): SignedHead(one[2], one[3]) for one in body}
        except (ValueError, KeyError, TypeError, IndexError) as error:
            raise HeadsForged("unreadable") from error
        if not whole:
            raise HeadsForged("wrong signature")
        return heads

    def sign(self, db: Database) -> int:
        """Signs heads that went on from the signed ones; returns how many are new. A chain that does not hold what was
        signed of it keeps its old head, so that the evidence stays. Raises `HeadsForged`."""
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
        """Chains that do not hold what was signed of them, with the signed entry. Raises `HeadsForged`."""
        return {scope: head.seq for scope, head in self.read().items() if not _holds(db, scope, head)}

    def _write(self, heads: dict[Scope, SignedHead]) -> None:
        body = [[s.tenant, s.org, head.seq, head.hash] for s, head in sorted(heads.items(), key=_by_name)]
        self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        draft = self._path.with_suffix(f".{os.getpid()}")
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "w") as file:
            json.dump({"heads": body, "mac": self._sign(body).hex()}, file)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(self._path)

    def _sign(self, body: object) -> bytes:
        return hmac.digest(self._key, json.dumps(body, separators=(",", ":")).encode(), hashlib.sha256)


def _by_name(one: tuple[Scope, SignedHead]) -> tuple[str, str]:
    return one[0].tenant, one[0].org


def _holds(db: Database, scope: Scope, head: SignedHead) -> bool:
    """The chain has this entry with this hash."""
    row = db.fetch_one(_AT, {"tenant": scope.tenant, "org": scope.org, "seq": head.seq})
    return row is not None and bytes(row["hash"]).hex() == head.hash
