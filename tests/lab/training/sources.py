"""Folders of documents with truth: a source is a folder of one maker with its originals and `gt/` or `gt_tables/`.

Sources below a folder named `blind` are scored, never trained on; texts whose licence forbids commercial use are left
out of every source.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_HIDDEN = "blind"
"""Sources below a folder of this name are scored, never trained on."""
_LEAST_DOCUMENTS = 5
"""Fewer documents show no maker's habits."""
_NON_COMMERCIAL = re.compile(r"non-?commercial|-NC-", re.IGNORECASE)
TYPESET, WORD_FILES = ("pdfs", ".pdf"), ("files", ".docx")
"""Folder and ending of the originals of a source."""


@dataclass(frozen=True, slots=True)
class TrainingSource:
    """A folder of one maker's documents; `originals` are those with truth whose texts may be learned from."""

    name: str
    home: Path
    originals: tuple[Path, ...]


def find_sources(root: Path, kind: tuple[str, str] = TYPESET, *, listed: bool = False) -> list[TrainingSource]:
    """All sources below `root` with a truth, by place; blind ones and non-commercial texts left out.

    `listed`: those of a corpus that lists its sources too, as far as the list says that they are for training.
    """
    folder_name, ending = kind
    found: list[TrainingSource] = []
    for folder in sorted(root.rglob(folder_name)):
        home = folder.parent
        if _HIDDEN in home.relative_to(root).parts or not ((home / "gt").is_dir() or (home / "gt_tables").is_dir()):
            continue
        split = _find_split(home)
        if split is not None and not (listed and split == "train"):
            continue
        barred = set(_find_barred(home))
        originals = tuple(
            one for one in sorted(folder.glob(f"*{ending}")) if one.stem not in barred and has_truth(home, one.stem)
        )
        if len(originals) >= _LEAST_DOCUMENTS:
            found.append(TrainingSource(home.name, home, originals))
    return found


def _find_split(home: Path) -> str | None:
    """Return the use (`train`, `dev`) from the list next to a source; null without a list."""
    listing = home.parent / "sources.json"
    if not listing.exists():
        return None
    return str(json.loads(listing.read_text())[home.name]["split"])


def find_named_sources(roots: list[Path], names: str) -> list[TrainingSource]:
    """The sources of those names (joined by commas) whose truth is Markdown."""
    found = [source for root in roots for source in find_sources(root) if source.name in names.split(",")]
    return [source for source in found if (source.home / "gt").is_dir()]


def find_trusted(home: Path) -> set[str] | None:
    """Documents whose headings are all stated by their authors (`index.json`); null where nothing is said of them."""
    listing = home / "index.json"
    if not listing.exists():
        return None
    return {name for name, entry in json.loads(listing.read_text()).items() if entry.get("headings_trust") == "all"}


def has_truth(home: Path, stem: str) -> bool:
    places = (home / "gt" / f"{stem}.md", home / "gt" / f"{stem}.html", home / "gt_tables" / f"{stem}.json")
    return any(place.exists() for place in places)


def _find_barred(home: Path) -> Iterator[str]:
    """Documents made of texts whose licence forbids commercial use (`sources` of meta.jsonl)."""
    listing = home / "meta.jsonl"
    for line in listing.read_text().splitlines() if listing.exists() else ():
        meta = json.loads(line)
        if any(_NON_COMMERCIAL.search(str(part)) for source in meta.get("sources", ()) for part in source):
            yield meta["id"]
