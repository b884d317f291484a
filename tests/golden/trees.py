"""Golden trees: whole small documents as JSON files. `REGENERATE` rewrites the files."""

import json
from pathlib import Path

from quire.models.cdom.tree import Tree, dump_tree

REGENERATE = False
FOLDER = Path(__file__).parent


def assert_golden_tree(tree: Tree, path: Path) -> None:
    """Compare a tree with a golden file. Provenance is left out: versions change without a change of what is read."""
    text = _without_versions(tree)
    if REGENERATE:
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")


def _without_versions(tree: Tree) -> str:
    stored = json.loads(dump_tree(tree))
    stored["provenance"] = {}
    for block in stored["blocks"]:
        del block["provenance"]["version"]
    return json.dumps(stored, indent=1, ensure_ascii=False) + "\n"
