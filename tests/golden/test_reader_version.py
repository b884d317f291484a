"""`READER_VERSION` rises whenever the reader's output changes, so that outdated trees can be found and re-read."""

import hashlib
import json
from pathlib import Path

from quire.models.cdom.version import READER_VERSION
from tests.golden.trees import FOLDER

MODELS = Path(__file__).parents[2] / "models"
RECORD = FOLDER / "reader_versions.json"
"""Reader version -> SHA-256 over the weights and golden trees of that version."""


def digest_output() -> str:
    """Return the SHA-256 over all weights of the reader and all golden trees, by path."""
    digest = hashlib.sha256()
    for path in sorted([*MODELS.glob("extract/**/*.npz"), *FOLDER.glob("pdf/*.json"), *FOLDER.glob("docx/*.json")]):
        digest.update(path.name.encode() + b"\0" + hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()


def test_reader_version_rises_when_weights_or_golden_trees_change() -> None:
    recorded = json.loads(RECORD.read_text())
    assert recorded.get(str(READER_VERSION)) == digest_output(), (
        "Weights or golden trees changed. Raise READER_VERSION in models/cdom/version.py by one and add to "
        f'{RECORD.name}: "{READER_VERSION + 1}": "{digest_output()}"'
    )


def test_recorded_reader_versions_are_contiguous_and_differ() -> None:
    recorded = json.loads(RECORD.read_text())
    assert list(recorded) == [str(number) for number in range(1, READER_VERSION + 1)]
    assert len(set(recorded.values())) == len(recorded)
