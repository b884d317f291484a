"""Places: whether a tenant may send documents now, decided under the lock of the tenant's row.

An upload reserves a place before the engine is called and releases it when the engine refuses. A crash in between
leaves the place in `sending`; the watcher checks it after a deadline.
"""

from datetime import date

from quire.serve_apps.console.store.accounts import new_id
from quire.serve_apps.console.store.errors import MonthlyPagesUsed, TooManyDocuments
from quire.serve_apps.console.store.ports import Connection, ConsoleTables, Row
from quire.serve_apps.console.store.rows import Place, SubmissionState, Tenant, Usage

SENDING_S = 300
"""Longer than any call to the engine; after this time the watcher checks a `sending` place."""
RETRY_WINDOW_S = 86_400
"""Within this time a repeated upload after a failure uses the same key in the engine."""

MONTHS = 12
"""Months of usage that are shown, including the current one: a year."""

_POSITION = """
select (select coalesce(sum(n_open), 0) from console_submissions
        where tenant_id = %(tenant)s and state in ('sending', 'open')) as open_documents,
  coalesce(u.documents, 0) as documents, coalesce(u.pages, 0) as pages,
  (m.month + interval '1 month')::date as resets_on
from (select date_trunc('month', statement_timestamp())::date as month) m
  left join console_usage u on u.tenant_id = %(tenant)s and u.month = m.month
"""
_EARLIER = """
select id, engine_key, state from console_submissions
where tenant_id = %(tenant)s and org = %(org)s and route = %(route)s and (engine_key = %(key)s
  or (%(key)s::text is null and digest = %(digest)s and state = 'failed'
      and created_at > statement_timestamp() - %(window_s)s * interval '1 second'))
order by created_at desc limit 1 for update
"""
_DEADLINE = "look_at = clock_timestamp() + %(sending_s)s * interval '1 second'"


def reserve(
    db: ConsoleTables, tenant: Tenant, org: str, route: str, *, documents: int, digest: str, key: str | None = None
) -> Place:
    """Reserve a place for `documents` documents, one page each, or return the place of an earlier try.

    Args:
        db: The console's tables.
        tenant: The uploading tenant.
        org: Its organisation in the engine.
        route: Name of the route.
        documents: Number of documents.
        digest: Digest of everything that was sent.
        key: The client's Idempotency-Key, if it sent one.

    Raises:
        MonthlyPagesUsed: The plan's pages are used up.
        TooManyDocuments: The plan's number of concurrent documents is reached.
    """
    params: dict[str, object] = {
        "tenant": tenant.id,
        "org": org,
        "route": route,
        "key": key,
        "digest": digest,
        "n": documents,
    }
    params |= {"window_s": RETRY_WINDOW_S, "sending_s": SENDING_S}
    with db.transaction() as conn:
        conn.execute("select 1 from console_tenants where id = %(tenant)s for update", params)
        earlier = conn.execute(_EARLIER, params).fetchone()
        if earlier is not None and earlier["state"] != SubmissionState.FAILED:
            return _place(tenant, org, earlier, fresh=False)
        _judge(tenant, _position(conn.execute(_POSITION, params).fetchall()[0]), documents)
        return _place(tenant, org, _take(conn, params, earlier), fresh=True)


def release_place(db: ConsoleTables, place: Place) -> None:
    """Release the place, because the engine refused the upload or its answer is unknown."""
    if not place.fresh:
        return
    with db.transaction() as conn:
        conn.execute(
            "update console_submissions set state = 'failed', n_open = 0 where id = %s and state = 'sending'",
            (place.submission_id,),
        )


def usage_of(db: ConsoleTables, tenant_id: str) -> Usage:
    """Return the tenant's usage in the current month."""
    rows = db.fetch_all(_POSITION, {"tenant": tenant_id})
    return _position(rows[0])


def usage_by_month(db: ConsoleTables, tenant_id: str) -> list[tuple[date, int]]:
    """Return the first day of each of the last months with the pages read in it, the current month last."""
    rows = db.fetch_all(
        """select m.month::date as month, coalesce(u.pages, 0) as pages
           from generate_series(date_trunc('month', statement_timestamp()) - %(before)s * interval '1 month',
                                date_trunc('month', statement_timestamp()), interval '1 month') as m(month)
           left join console_usage u on u.tenant_id = %(tenant)s and u.month = m.month::date order by m.month""",
        {"tenant": tenant_id, "before": MONTHS - 1},
    )
    return [(row["month"], row["pages"]) for row in rows]


def _judge(tenant: Tenant, now: Usage, documents: int) -> None:
    limit = tenant.monthly_pages
    if limit is not None and now.pages >= limit:
        raise MonthlyPagesUsed(now.resets_on)
    if now.open_documents + documents > tenant.concurrent_documents:
        raise TooManyDocuments(f"at most {tenant.concurrent_documents} documents may be read at once")
    if limit is not None and now.pages + now.open_documents + documents > limit:
        raise MonthlyPagesUsed(now.resets_on)


def _take(conn: Connection, params: dict[str, object], earlier: Row | None) -> Row:
    if earlier is not None:
        return conn.execute(
            f"""update console_submissions set state = 'sending', n_total = %(n)s, n_open = %(n)s, digest = %(digest)s,
                  created_at = clock_timestamp(), {_DEADLINE} where id = %(id)s returning id, engine_key""",
            params | {"id": earlier["id"]},
        ).fetchall()[0]
    submission_id = new_id("sub_")
    return conn.execute(
        """insert into console_submissions (id, tenant_id, org, route, engine_key, digest, n_total, n_open, look_at)
           values (%(id)s, %(tenant)s, %(org)s, %(route)s, %(engine_key)s, %(digest)s, %(n)s, %(n)s,
                   clock_timestamp() + %(sending_s)s * interval '1 second') returning id, engine_key""",
        params | {"id": submission_id, "engine_key": params["key"] or submission_id},
    ).fetchall()[0]


def _place(tenant: Tenant, org: str, row: Row, *, fresh: bool) -> Place:
    return Place(submission_id=row["id"], tenant_id=tenant.id, org=org, engine_key=row["engine_key"], fresh=fresh)


def _position(row: Row) -> Usage:
    return Usage(
        documents=row["documents"],
        pages=row["pages"],
        open_documents=int(row["open_documents"]),
        resets_on=row["resets_on"],
    )
