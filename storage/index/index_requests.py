"""Words to the index writer: rows changed under its index, so it compares the two at once instead of within the hour.

Written in the transaction that changes the rows. A word that is lost with a writer costs nothing: a new one compares
when it starts.
"""

from storage.postgres.database import Connection, Database


def ask_for_comparison(conn: Connection, reason: str) -> None:
    """Inside the transaction that changed what the index is compared with; `reason` is for who reads the table."""
    conn.execute("insert into index_requests (reason) values (%s)", (reason,))


def take_requests(db: Database) -> int:
    """Takes every word there is; how many there were."""
    with db.transaction() as conn:
        return conn.execute("delete from index_requests").rowcount
