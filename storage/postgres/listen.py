"""Notices from the database as an endless async stream; a lost connection is made again, for ever.

Notices are hints: after each (re)connect ("", "") tells the listener to look for itself: some may have been missed.
"""

import asyncio
import random
from collections.abc import AsyncIterator, Sequence

import psycopg
from psycopg import sql

from storage.postgres.database import session_dsn
from storage.values.backoff import BackoffPolicy

RETRIES = BackoffPolicy(0.25, 2.0)
"""A database that has returned is seen within two seconds."""


async def listen(dsn: str, channels: Sequence[str]) -> AsyncIterator[tuple[str, str]]:
    """Yields (channel, payload). Ends only by cancellation or `aclose`."""
    failures = 0
    while True:
        try:
            connection = await psycopg.AsyncConnection.connect(
                session_dsn(dsn, application="quire-listen"), autocommit=True
            )
            async with connection:
                for channel in channels:
                    await connection.execute(sql.SQL("listen {}").format(sql.Identifier(channel)))
                failures = 0
                yield "", ""
                async for notice in connection.notifies():
                    yield notice.channel, notice.payload
        except psycopg.OperationalError:
            await asyncio.sleep(RETRIES.pause_s(failures) * random.uniform(0.5, 1.5))  # noqa: S311  (jitter)
            failures += 1
