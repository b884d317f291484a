"""Golden files, compared byte for byte; `QUIRE_WRITE_GOLDEN=1` rewrites them."""

import json
import os
from pathlib import Path

from pydantic_core import to_jsonable_python

FOLDER = Path(__file__).parents[2] / "golden" / "derive"
WRITE = os.environ.get("QUIRE_WRITE_GOLDEN") == "1"


def assert_golden(name: str, text: str) -> None:
    """`text` is what the golden file of that name holds."""
    path = FOLDER / name
    if WRITE:
        path.write_text(text, newline="")
    assert text == path.read_bytes().decode()


def as_json(value: object) -> str:
    return json.dumps(to_jsonable_python(value), indent=1, ensure_ascii=False) + "\n"
