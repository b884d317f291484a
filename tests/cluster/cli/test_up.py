"""`quire up` on a running workdir: every changed setting is named, and an unchanged one starts nothing."""

import base64
import json
import random
from pathlib import Path

import pytest

from quire.cluster.cli.service.up import changed_settings
from quire.cluster.runtime import Runtime, write_runtime
from quire.configs.parsing import parse_settings
from quire.configs.settings import Settings

CHANGES = {
    "SVC_PORT": "8747",
    "SVC_HOST": "127.0.0.2",
    "SVC_WORKERS": "3",
    "SVC_MAX_PAGES": "7",
    "SVC_MAX_BATCH_FILES": "3",
    "SVC_ROOT_PATH": "/quire",
    "SVC_METRICS": "1",
    "SVC_FAST_MODE": "0",
    "SVC_RAG_DB": "/tmp/an-index",
    "SVC_OCR_WARMUP": "1",
    "SVC_RETENTION_DAYS": "3",
    "SVC_RATE_LIMIT_RPM": "5",
    "SVC_ORG_DISK_MB": "9",
    "SVC_COMPAT": "1",
    "SVC_ALLOWED_HOSTS": "a.example",
    "SVC_TRUSTED_PROXIES": "10.0.0.1",
    "SVC_REVIEW_APPROVALS": "2",
    "SVC_LEASE_S": "40",
    "SVC_API_MAX": "2",
    "SVC_API_KEYS": "acme=0123456789012345678901234",
}


@pytest.fixture
def running(tmp_path: Path) -> Settings:
    settings = parse_settings({}, workdir=tmp_path)
    (tmp_path / "run").mkdir()
    write_runtime(
        Runtime(
            settings=settings,
            dsn="",
            dsn_file=tmp_path / "run" / "dsn",
            base_url="http://127.0.0.1:8000",
            license_file=tmp_path / "license",
            license_keys={},
            token_file=None,
            signing_key=base64.b64decode("a2V5"),
        )
    )
    return settings


def test_same_settings_are_no_change(running: Settings) -> None:
    assert changed_settings(running) == []


@pytest.mark.parametrize("seed", range(20))
def test_changed_settings_are_named(running: Settings, seed: int) -> None:
    rng = random.Random(seed)
    names = {list(CHANGES)[seed], *rng.sample(list(CHANGES), rng.randrange(3))}
    asked = parse_settings({name: CHANGES[name] for name in names}, workdir=running.workdir)
    changed = set(changed_settings(asked))
    assert names <= changed
    assert json.dumps(sorted(changed)).count("0123456789") == 0
