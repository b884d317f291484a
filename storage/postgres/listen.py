"""Notices from the database as an endless async stream that reconnects for ever.

Notices are hints: after each (re)connect ("", "") asks the listener to check the database, since some may be missed.
"""

import asyncio
import random
from collections.abc import AsyncIterator, Sequence

import psycopg
from psycopg import sql

from quire.storage.postgres.database import session_dsn
from quire.storage.values.backoff import BackoffPolicy

RETRIES = BackoffPolicy(0.25, 2.0)
"""Delays between connection attempts: a database that has returned is noticed within two seconds."""


async def listen(dsn: str, channels: Sequence[str]) -> AsyncIterator[tuple[str, str]]:
    """Yield (channel, payload) for each notice. Ends only by cancellation or `aclose`."""
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
