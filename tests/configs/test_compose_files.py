"""The compose files that the project hands out say what the documentation says."""

from pathlib import Path
from typing import Any

import yaml  # type: ignore[import-untyped]

FOLDER = Path(__file__).resolve().parents[2] / "configs" / "compose"


def services(name: str) -> dict[str, Any]:
    content = yaml.safe_load((FOLDER / name).read_text())
    found: dict[str, Any] = content["services"]
    return found


def test_the_database_listens_on_loopback_and_keeps_its_password_in_a_file() -> None:
    postgres = services("postgres.yaml")["postgres"]
    assert all(port.startswith("127.0.0.1:") for port in postgres["ports"])
    assert not any("PASSWORD" in name and not name.endswith("_FILE") for name in postgres["environment"])
    version = int(postgres["image"].rpartition(":")[2])
    assert version >= 15


def test_no_statement_of_the_database_reaches_its_log() -> None:
    assert "log_min_error_statement=panic" in services("postgres.yaml")["postgres"]["command"]


def test_every_compose_file_parses() -> None:
    assert [path.name for path in FOLDER.glob("*.yaml") if not services(path.name)] == []
