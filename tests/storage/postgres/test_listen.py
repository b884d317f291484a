"""Notices arrive, and a lost connection is made again."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import cast

import psycopg

from quire.storage.postgres.listen import listen
from quire.storage.postgres.notices import DONE, TASKS
from quire.storage.queue.publish import finish
from quire.storage.store import Store
from tests.storage.scenes import claim, submit, success, worker


def notices(dsn: str) -> AsyncGenerator[tuple[str, str], None]:
    return cast("AsyncGenerator[tuple[str, str], None]", listen(dsn, [TASKS, DONE]))


async def test_intake_and_the_end_of_a_job_are_noticed(dsn: str, store: Store) -> None:
    async with aclosing(notices(dsn)) as stream:
        assert await anext(stream) == ("", "")
        job = await asyncio.to_thread(submit, store)
        assert await anext(stream) == (TASKS, "")
        taken = await asyncio.to_thread(claim, worker(store))
        await asyncio.to_thread(finish, store, [success(taken)])
        assert await anext(stream) == (DONE, job.id)


async def test_a_lost_connection_is_made_again_and_said(dsn: str, store: Store) -> None:
    async with aclosing(notices(dsn)) as stream:
        assert await anext(stream) == ("", "")
        with psycopg.connect(dsn, autocommit=True) as connection:
            connection.execute(
                "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'quire-listen' "
                "and datname = current_database()"
            )
        assert await anext(stream) == ("", "")
        await asyncio.to_thread(submit, store)
        assert await anext(stream) == (TASKS, "")
