"""The request log: JSON lines that name routes and keys, never a path, a query, a file or a secret."""

import json
import logging
from collections.abc import Iterator
from pathlib import Path

import pytest

from quire.cluster.logs import LOGGERS, write_requests
from quire.storage.store import Store
from tests.api.harness import PDF, client_of, make_resources, serving


@pytest.fixture
def log(tmp_path: Path) -> Iterator[Path]:
    yield write_requests(tmp_path)
    for name in LOGGERS:
        logger = logging.getLogger(name)
        for handler in list(logger.handlers):
            handler.close()
            logger.removeHandler(handler)
        logger.setLevel(logging.NOTSET)
        logger.propagate = True


async def test_each_request_is_one_json_line_without_content(log: Path, store: Store) -> None:
    async with serving(make_resources(store)) as app, client_of(app) as caller:
        await caller.post("/v1/jobs", files={"files": ("secret-name.pdf", PDF)})
        await caller.get("/v1/jobs?status=queued&cursor=private")
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    assert [(line["route"], line["status"], line["key"]) for line in lines] == [
        ("/v1/jobs", 201, "acme:write"),
        ("/v1/jobs", 422, "acme:write"),
    ]
    assert log.stat().st_mode & 0o777 == 0o600
    for word in ("secret-name", "private", "acme-write"):
        assert word not in log.read_text()


async def test_requests_are_answered_while_their_log_is_unwritable(log: Path, store: Store) -> None:
    async with serving(make_resources(store)) as app, client_of(app) as caller:
        log.unlink()
        log.symlink_to("/dev/full")
        assert (await caller.get("/v1/jobs")).status_code == 200
        log.unlink()
        log.parent.rmdir()
        assert (await caller.get("/v1/jobs")).status_code == 200
        assert (await caller.get("/v1/jobs")).status_code == 200
        log.parent.mkdir()
        assert (await caller.get("/v1/jobs")).status_code == 200
    assert [json.loads(line)["route"] for line in log.read_text().splitlines()] == ["/v1/jobs"]
