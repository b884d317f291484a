"""An app over a separate database, with a reader that finishes submitted documents."""

from collections.abc import AsyncIterator, Iterator

import httpx
import pytest
from fastapi import FastAPI

from quire.storage.store import Store
from tests.api.harness import client_of, make_resources, reading, serving


@pytest.fixture
async def app(store: Store, dsn: str) -> AsyncIterator[FastAPI]:
    async with serving(make_resources(store, dsn=dsn)) as running:
        yield running


@pytest.fixture
async def client(app: FastAPI) -> AsyncIterator[httpx.AsyncClient]:
    """A caller of tenant `acme` with the write scope."""
    async with client_of(app) as caller:
        yield caller


@pytest.fixture
def reader(store: Store) -> Iterator[None]:
    with reading(store):
        yield
