"""Requests to the index writer to compare its index with SQL at once instead of within the hour.

Written in the transaction that changes the rows. A request that is lost with a writer costs nothing: a new writer
compares when it starts.
"""

from quire.storage.postgres.database import Connection, Database


def request_comparison(conn: Connection, reason: str) -> None:
    """Insert a request in the transaction that changed the rows; `reason` is for people who read the table."""
    conn.execute("insert into index_requests (reason) values (%s)", (reason,))


def take_requests(db: Database) -> int:
    """Delete all requests and return their number."""
    with db.transaction() as conn:
        return conn.execute("delete from index_requests").rowcount
