"""Writes the figures of a benchmark or a chaos run."""

import json
from pathlib import Path


def save_results(name: str, results: object) -> Path:
    """Write `bench-results/<name>.json` below the working folder."""
    folder = Path("bench-results")
    folder.mkdir(exist_ok=True)
    place = folder / f"{name}.json"
    place.write_text(json.dumps(results, indent=1) + "\n", "utf-8")
    return place
