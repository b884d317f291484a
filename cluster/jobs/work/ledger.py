"""The ledger of a bulk job: plans cut the corpus into blocks, and a block is done when its records are stored.

A plan names documents by key and never changes, so a killed job resumes with the same blocks, overwrites the same
outputs, and ends with the same bytes as one that was never killed. Documents added later get a further plan.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import chain
from pathlib import Path
from typing import Any

from quire.cluster.jobs.work.folders import PARTIAL, Folder, open_folder

RECORDS, PLANS, MANIFEST, ERRORS = "records", "plans", "manifest.jsonl", "errors.jsonl"
SUMMARY, JOB = "summary.json", "job.json"
BY_KEY = "_by-key"
"""Folder of outputs that are not named by their documents."""
MAX_PART = 200
"""Most bytes of a part of a path; file systems take 255, and a suffix and the name of a partial file come on top."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkItem:
    """A document to read: `name` finds it below the root; `key` names its outputs, the same in every run."""

    name: str
    key: str
    bytes: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """Result of a document. `error` is a stable code, `message` says what to do about it.

    `outputs` are names below the output folder.
    """

    key: str
    name: str
    sha256: str = ""
    bytes: int = 0
    pages: int = 0
    error: str | None = None
    message: str | None = None
    outputs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class WorkBlock:
    """Documents that are done together; `name` is the plan and a number in it."""

    name: str
    items: tuple[WorkItem, ...]


@dataclass(frozen=True, slots=True)
class WorkPlan:
    """Keys of each block in the order of work. `number` counts from 1; later plans override earlier ones."""

    number: int
    blocks: tuple[tuple[str, ...], ...]

    def all_keys(self) -> Iterator[str]:
        """Yield the keys of all blocks."""
        return chain.from_iterable(self.blocks)

    def work(self, items: Mapping[str, WorkItem]) -> list[WorkBlock]:
        """Return the blocks; a key that the corpus no longer has gets an item without a name, which cannot be read."""
        return [
            WorkBlock(
                f"{self.number:04}-{index:07}", tuple(items.get(key) or WorkItem(name="", key=key) for key in keys)
            )
            for index, keys in enumerate(self.blocks)
        ]


def find_items(source: str, names: Iterable[str] | None = None) -> tuple[str, list[WorkItem]]:
    """Return the root and the documents below it, or those of these names; `source` may be a single file."""
    if names is not None:
        return source, make_items((name, 0) for name in names)
    if "://" not in source and Path(source).is_file():
        return str(Path(source).parent), make_items([(Path(source).name, Path(source).stat().st_size)])
    return source, make_items(open_folder(source).names())


def make_items(files: Iterable[tuple[str, int]]) -> list[WorkItem]:
    """Return items of (name, bytes), each once: large ones first, so that none runs alone at the end; then by name."""
    items = [WorkItem(name=name, key=make_key(name), bytes=size) for name, size in sorted(set(files))]
    return sorted(items, key=lambda item: -item.bytes)


def make_key(name: str) -> str:
    """Return a key of the name below the root, so that a moved root keeps its results."""
    return hashlib.sha256(name.encode(errors="surrogateescape")).hexdigest()[:32]


def read_manifest(text: str) -> list[str]:
    """Return names, one a line or from the `name` of a JSON object. Blank lines and # comments are skipped."""
    lines = [line.strip() for line in text.splitlines()]
    return [_name(line) for line in lines if line and not line.startswith("#")]


def _name(line: str) -> str:
    if not line.startswith("{"):
        return line
    name = json.loads(line).get("name")
    if not isinstance(name, str):
        raise ValueError("a manifest line has no name")
    return name


def place_by_name(kind: str, name: str, key: str, suffix: str) -> str:
    """Return the name of a document's output: its own path with the suffix of the format.

    A path that would leave the folder, that a file system may refuse or that may meet another output is replaced by
    the key.
    """
    parts = name.split("/")
    folders = any(part.lower().endswith(suffix) for part in parts[:-1])
    if folders or parts[0] == BY_KEY or not all(map(_is_plain, parts)):
        return place_by_key(kind, key, suffix)
    return f"{kind}/{name}{suffix}"


def place_by_key(kind: str, key: str, suffix: str) -> str:
    """Return the name of an output that does not show the document's name."""
    return f"{kind}/{BY_KEY}/{key[:2]}/{key}{suffix}"


def _is_plain(part: str) -> bool:
    if part in ("", ".", "..") or PARTIAL in part or "\\" in part or not part.isprintable():
        return False
    return len(part.encode(errors="surrogateescape")) <= MAX_PART


def claim_folder(folder: Folder, facts: Mapping[str, object]) -> bool:
    """Bind the folder to one set of options; false if it holds results of other options."""
    try:
        return bool(json.loads(folder.read(JOB)) == dict(facts))
    except FileNotFoundError:
        folder.write(JOB, json.dumps(facts, sort_keys=True).encode())
        return True
    except ValueError:
        return False


def read_plans(folder: Folder) -> list[WorkPlan]:
    """Return every plan of the folder, the first one first."""
    names = sorted(name for name, _ in folder.names(PLANS))
    facts = [json.loads(folder.read(name)) for name in names]
    return [WorkPlan(number, tuple(map(tuple, fact["blocks"]))) for number, fact in enumerate(facts, 1)]


def make_plan(folder: Folder, plans: Sequence[WorkPlan], blocks: Sequence[Sequence[WorkItem]]) -> list[WorkPlan]:
    """Return the plans plus a new one for these blocks, if there are any. Written before any work is done."""
    if not blocks:
        return list(plans)
    plan = WorkPlan(len(plans) + 1, tuple(tuple(item.key for item in block) for block in blocks))
    folder.write(f"{PLANS}/{plan.number:04}.json", json.dumps({"blocks": plan.blocks}).encode())
    return [*plans, plan]


def find_unplanned(plans: Sequence[WorkPlan], items: Sequence[WorkItem]) -> list[WorkItem]:
    """Return items that no plan has, in the items' order."""
    planned = {key for plan in plans for key in plan.all_keys()}
    return [item for item in items if item.key not in planned]


def find_undone(folder: Folder, plans: Sequence[WorkPlan], items: Sequence[WorkItem]) -> list[WorkBlock]:
    """Return blocks without records, in order."""
    done = {name.rpartition("/")[2].removesuffix(".jsonl") for name, _ in folder.names(RECORDS)}
    by_key = {item.key: item for item in items}
    return [block for plan in plans for block in plan.work(by_key) if block.name not in done]


def write_records(folder: Folder, block: WorkBlock, records: Sequence[Record]) -> None:
    """Write the records, as the last write of a block."""
    folder.write(f"{RECORDS}/{block.name}.jsonl", "".join(map(_line, records)).encode())


def read_records(folder: Folder) -> dict[str, Record]:
    """Return the newest record of every document, by key."""
    records: dict[str, Record] = {}
    for name in sorted(name for name, _ in folder.names(RECORDS)):
        for line in folder.read(name).splitlines():
            facts = json.loads(line)
            records[facts["key"]] = Record(**{**facts, "outputs": tuple(facts["outputs"])})
    return records


def write_tables(folder: Folder, items: Sequence[WorkItem]) -> dict[str, Any]:
    """Write manifest, table of errors and summary of all records, in the order of names; return the summary."""
    by_key = read_records(folder)
    records = sorted(by_key.values(), key=lambda record: (record.name, record.key))
    failed = [record for record in records if record.error]
    folder.write(MANIFEST, "".join(_line(record) for record in records if not record.error).encode())
    folder.write(ERRORS, "".join(map(_line, failed)).encode())
    undone = sum(item.key not in by_key for item in items)
    summary = {
        "documents": len(records) + undone,
        "read": len(records) - len(failed),
        "failed": len(failed),
        "undone": undone,
        "pages": sum(record.pages for record in records),
        "errors": dict(sorted(Counter(str(record.error) for record in failed).items())),
    }
    folder.write(SUMMARY, (json.dumps(summary, indent=1) + "\n").encode())
    return summary


def _line(record: Record) -> str:
    return json.dumps(asdict(record), sort_keys=True) + "\n"
