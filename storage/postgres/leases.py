"""Singletons by lease: whoever holds the row is the janitor (or index writer) until the database's clock says no."""

from storage.postgres.database import Database

FAR = 10
"""Times its length that a lease may lie ahead: further, a clock wrote it that was set back since, and its holder would
keep the role that long after its death. A living one notices at its next renewal."""
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
        """True when the role is ours for `ttl_s` from now (taken, or still held)."""
        return self._ask(_ACQUIRE)

    def renew(self) -> bool:
        """True when it was still ours and is so for another `ttl_s`; False = stop at once."""
        return self._ask(_RENEW)

    def release(self) -> None:
        """Gives the role back; nothing happens when somebody else has it."""
        with self._db.autocommit() as conn:
            conn.execute(_RELEASE, self._params)

    def _ask(self, query: str) -> bool:
        with self._db.autocommit() as conn:
            row = conn.execute(query.encode(), self._params).fetchone()
        if row is None:
            return False
        self.fence = row["fence"]
        return True
