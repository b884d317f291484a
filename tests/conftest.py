"""Fixtures that all tests share: a fresh PostgreSQL database for each test, a store on it, a bucket, a browser.

Database and browser are imported by their fixtures, so that tests of one area without them start fast.
"""

import gc
import secrets
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, settings
from PIL import Image

import tests.models.sources  # noqa: F401  (before a module of the reader)  isort: skip
import quire.models.extract.formats.pdf.engine  # noqa: F401  (before a test imports pymupdf: 170 MB and 1.8 CPU s less)
from quire.models.extract.steps import StepFailed, Steps
from tests.scheduling import ONE_SERVICE, FileScheduling, import_in_turns

if TYPE_CHECKING:
    from quire.storage.store import Store
    from tests.postgres import TestServer
    from tests.storage.bucket import Bucket
    from tests.ui.browser.chromium import Browser

settings.register_profile("any load", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("any load")
"""How long an example takes says how busy the machine is, not whether the code is right."""
LEAVE_OUT = Steps.leave_out


class FaultInStep(BaseException):
    """An optional step failed in a test that does not expect it; no `except Exception` may hide that."""


def _refuse_to_leave_out(steps: Steps, failure: StepFailed) -> None:
    raise FaultInStep(failure.name) from failure.__cause__


setattr(Steps, "leave_out", _refuse_to_leave_out)  # noqa: B010 - a method of a class that is typed


@pytest.fixture
def steps_may_fail(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave failing steps out, as the product does."""
    monkeypatch.setattr(Steps, "leave_out", LEAVE_OUT)


SIGNING_KEY = b"a signing key of the tests, long enough"


@pytest.fixture(scope="session")
def postgres_server() -> "Iterator[TestServer]":
    """One PostgreSQL per session."""
    from tests.postgres import test_server

    with test_server() as server:
        yield server


@pytest.fixture
def dsn(postgres_server: "TestServer") -> Iterator[str]:
    """A fresh migrated database."""
    with postgres_server.database() as name:
        yield name


@pytest.fixture(scope="session")
def s3_endpoint() -> Iterator[str]:
    """An S3 server on loopback, one per session."""
    from moto.server import ThreadedMotoServer

    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    yield f"http://{host}:{port}"
    server.stop()


@pytest.fixture
def bucket(s3_endpoint: str) -> "Bucket":
    """A new bucket on that server."""
    import boto3

    from tests.storage.bucket import Bucket

    name = f"quire-{secrets.token_hex(4)}"
    credentials = {"aws_access_key_id": "test", "aws_secret_access_key": "test"}
    boto3.client("s3", endpoint_url=s3_endpoint, region_name="us-east-1", **credentials).create_bucket(Bucket=name)
    options = {"endpoint": s3_endpoint, "region": "us-east-1", "client_options": {"allow_http": True}, **credentials}
    return Bucket(f"s3://{name}/some/prefix", options)


@pytest.fixture
def store(dsn: str, tmp_path: Path) -> "Iterator[Store]":
    """A new store with SQL, blobs and artifacts."""
    from quire.storage.store import open_store

    opened = open_store(dsn, tmp_path / "workdir", signing_key=SIGNING_KEY)
    yield opened
    opened.close()


@pytest.fixture(scope="session")
def started_browser() -> "Iterator[Browser]":
    """One Chromium for all tests: starting it costs more than most of them."""
    from tests.ui.browser.chromium import chromium

    with chromium() as browser:
        yield browser


@pytest.fixture
def browser(started_browser: "Browser") -> "Browser":
    """The browser without cookies or stored data."""
    started_browser.forget()
    return started_browser


@pytest.fixture(autouse=True)
def image_limit() -> Iterator[None]:
    """The image reader sets Pillow's limit for its whole process, as a child may: here it is gone after the test."""
    before = Image.MAX_IMAGE_PIXELS
    yield
    Image.MAX_IMAGE_PIXELS = before


@pytest.hookimpl(tryfirst=True)
def pytest_collection(session: pytest.Session) -> None:
    """Workers share what importing the tests costs."""
    import_in_turns(session.config)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The running service's tests and the long files first: none is begun when the other workers have ended."""
    items.sort(key=lambda item: (not item.nodeid.startswith(ONE_SERVICE), item.get_closest_marker("long") is None))


def pytest_collection_finish() -> None:
    """Freeze the garbage collector's view of all tests, which live to the end of the session."""
    gc.collect()
    gc.freeze()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> FileScheduling:
    """Workers take files."""
    return FileScheduling(config, log)
