"""A console over an engine, both on one database of the test's own."""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from fastapi import FastAPI

from quire.storage.store import Store
from tests.api.harness import reading
from tests.packages.console.harness import Person, a_console, an_engine, resources_of, sign_up


@pytest.fixture
def engine_url(store: Store, dsn: str) -> Iterator[str]:
    with an_engine(store, dsn) as url:
        yield url


@pytest.fixture
async def console(store: Store, engine_url: str, tmp_path: Path) -> AsyncIterator[FastAPI]:
    async with a_console(resources_of(store, engine_url, tmp_path)) as app:
        yield app


@pytest.fixture
async def ann(console: FastAPI) -> AsyncIterator[Person]:
    person = await sign_up(console)
    yield person
    await person.pages.aclose()
    await person.api.aclose()


@pytest.fixture
def reader(store: Store) -> Iterator[None]:
    with reading(store):
        yield
