"""Singleton roles by lease: a worker is the janitor (or index writer) until its lease expires by the database clock."""

from quire.storage.postgres.database import Database

FAR = 10
"""Multiple of its length that a lease may lie ahead.

A lease further ahead was written before the clock was set back, and its holder would keep the role long after its
death. A living holder notices at its next renewal.
"""
_ACQUIRE = """
insert into role_leases as r (role, holder, fence, lease_until)
values (%(role)s, %(holder)s, 1, clock_timestamp() + %(ttl_s)s * interval '1 second')
on conflict (role) do update set holder = excluded.holder, lease_until = excluded.lease_until,
  fence = r.fence + (r.holder is distinct from excluded.holder or r.lease_until < clock_timestamp())::int
where r.holder = excluded.holder or r.holder is null or r.lease_until < clock_timestamp()
  or r.lease_until > clock_timestamp() + %(far_s)s * interval '1 second'
returning fence
"""
_RENEW = """
update role_leases set lease_until = clock_timestamp() + %(ttl_s)s * interval '1 second'
where role = %(role)s and holder = %(holder)s and lease_until >= clock_timestamp() returning fence
"""
_RELEASE = "update role_leases set holder = null, lease_until = null where role = %(role)s and holder = %(holder)s"


class RoleLease:
    """One candidate for one role. `fence` rises with every change of hands; 0 = never held."""

    def __init__(self, db: Database, role: str, holder: str, ttl_s: float) -> None:
        self._db = db
        self._params = {"role": role, "holder": holder, "ttl_s": ttl_s, "far_s": FAR * ttl_s}
        self.fence = 0

    def acquire(self) -> bool:
        """Return whether the role is held for `ttl_s` seconds from now, newly taken or kept."""
        return self._ask(_ACQUIRE)

    def renew(self) -> bool:
        """Extend a held lease by `ttl_s` seconds. False means that the lease is lost; the holder must stop at once."""
        return self._ask(_RENEW)

    def release(self) -> None:
        """Release the role; do nothing if another holder has it."""
        with self._db.autocommit() as conn:
            conn.execute(_RELEASE, self._params)

    def _ask(self, query: str) -> bool:
        with self._db.autocommit() as conn:
            row = conn.execute(query.encode(), self._params).fetchone()
        if row is None:
            return False
        self.fence = row["fence"]
        return True
