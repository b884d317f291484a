"""The ledger of a bulk job: plans cut the corpus into blocks, and a block is done when its records are stored.

A plan names documents by key and never changes, so a killed job resumes with the same blocks, overwrites the same
outputs, and ends with the same bytes as one that was never killed. Documents added later get a further plan.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from cluster.jobs.work.folders import Folder

RECORDS, PLANS, MANIFEST, ERRORS = "records", "plans", "manifest.jsonl", "errors.jsonl"
SUMMARY, JOB = "summary.json", "job.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkItem:
    """A document to read: `name` finds it below the root; `key` names its outputs, the same in every run."""

    name: str
    key: str
    bytes: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """Result of a document. `error` is a stable code; `outputs` are names below the output folder."""

    key: str
    name: str
    sha256: str = ""
    bytes: int = 0
    pages: int = 0
    error: str | None = None
    outputs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class WorkBlock:
    """Documents that are done together; `name` is the plan and a number in it."""

    name: str
    items: tuple[WorkItem, ...]


@dataclass(frozen=True, slots=True)
class WorkPlan:
    """Keys in the order of work, `size` of them a block. `number` counts from 1; later plans override earlier ones."""

    number: int
    size: int
    keys: tuple[str, ...]

    def blocks(self, items: Mapping[str, WorkItem]) -> list[WorkBlock]:
        """Return the blocks; a key that the corpus no longer has gets an item without a name, which cannot be read."""
        cuts = range(0, len(self.keys), self.size)
        return [
            WorkBlock(
                f"{self.number:04}-{start // self.size:07}",
                tuple(items.get(key) or WorkItem(name="", key=key) for key in self.keys[start : start + self.size]),
            )
            for start in cuts
        ]


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


def place(kind: str, key: str, suffix: str) -> str:
    """Return the name of a document's output, spread over 256 folders."""
    return f"{kind}/{key[:2]}/{key}{suffix}"


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
    return [WorkPlan(number, fact["size"], tuple(fact["keys"])) for number, fact in enumerate(facts, 1)]


def make_plan(folder: Folder, plans: Sequence[WorkPlan], keys: Sequence[str], size: int) -> list[WorkPlan]:
    """Return the plans plus a new one for these keys, if there are any. Written before any work is done."""
    if not keys:
        return list(plans)
    plan = WorkPlan(len(plans) + 1, size, tuple(keys))
    folder.write(f"{PLANS}/{plan.number:04}.json", json.dumps({"size": size, "keys": keys}).encode())
    return [*plans, plan]


def find_unplanned(plans: Sequence[WorkPlan], items: Sequence[WorkItem]) -> list[str]:
    """Return keys of items that no plan has, in the items' order."""
    planned = {key for plan in plans for key in plan.keys}
    return [item.key for item in items if item.key not in planned]


def find_undone(folder: Folder, plans: Sequence[WorkPlan], items: Sequence[WorkItem]) -> list[WorkBlock]:
    """Return blocks without records, in order."""
    done = {name.rpartition("/")[2].removesuffix(".jsonl") for name, _ in folder.names(RECORDS)}
    by_key = {item.key: item for item in items}
    return [block for plan in plans for block in plan.blocks(by_key) if block.name not in done]


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
