"""What a bulk job has done: one small record per document, written after its outputs; manifest and errors at the end.

A record is the truth: a document without one is done again, and its outputs are written over with the same bytes. So a
killed job goes on where it was, and nothing appears twice. Pure but for the folder it is given.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from cluster.jobs.folders import Folder

RECORDS, MANIFEST, ERRORS, SUMMARY, JOB = "records", "manifest.jsonl", "errors.jsonl", "summary.json", "job.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """A document to read: `root` and `name` find it; `key` names its outputs, the same in every run."""

    root: str
    name: str
    key: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """How a document ended. `error` is a stable code; `outputs` are names below the output folder."""

    key: str
    name: str
    sha256: str = ""
    bytes: int = 0
    pages: int = 0
    error: str | None = None
    outputs: tuple[str, ...] = ()


def make_items(root: str, names: Iterable[str]) -> list[Item]:
    """Items in the order of their names, each once."""
    return [Item(root=root, name=name, key=make_key(name)) for name in sorted(set(names))]


def make_key(name: str) -> str:
    """By the name below the root alone, so that a moved root keeps its results."""
    return hashlib.sha256(name.encode(errors="surrogateescape")).hexdigest()[:32]


def read_manifest(text: str) -> list[str]:
    """Names, one a line; a line that is a JSON object gives its `name`. Blank lines and # comments are skipped."""
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
    """Where an output of a document lies: 256 folders, so that none grows too wide."""
    return f"{kind}/{key[:2]}/{key}{suffix}"


def claim_folder(folder: Folder, facts: Mapping[str, object]) -> bool:
    """A folder holds the results of one way of reading: true when it is this one, or had none yet."""
    try:
        return bool(json.loads(folder.read(JOB)) == dict(facts))
    except FileNotFoundError:
        folder.write(JOB, json.dumps(facts, sort_keys=True).encode())
        return True
    except ValueError:
        return False


def write_record(folder: Folder, record: Record) -> None:
    """The last write of a document."""
    folder.write(place(RECORDS, record.key, ".json"), _line(record).encode())


def read_records(folder: Folder) -> Iterator[Record]:
    """Every record there is; one that is not whole counts as not there."""
    for name, _ in folder.names(RECORDS):
        try:
            facts = json.loads(folder.read(name))
            yield Record(**{**facts, "outputs": tuple(facts["outputs"])})
        except (ValueError, TypeError, KeyError):
            continue


def find_undone(items: Sequence[Item], records: Iterable[Record], *, again: bool = False) -> list[Item]:
    """Items without a record; with `again` also those that failed."""
    done = {record.key for record in records if not (again and record.error)}
    return [item for item in items if item.key not in done]


def write_tables(folder: Folder, items: Sequence[Item]) -> dict[str, Any]:
    """Manifest, table of errors and summary of these items, in the order of their names. Returns the summary."""
    wanted = {item.key for item in items}
    records = sorted((r for r in read_records(folder) if r.key in wanted), key=lambda record: record.name)
    failed = [record for record in records if record.error]
    folder.write(MANIFEST, "".join(_line(record) for record in records if not record.error).encode())
    folder.write(ERRORS, "".join(_line(record) for record in failed).encode())
    summary = {
        "documents": len(items),
        "read": len(records) - len(failed),
        "failed": len(failed),
        "undone": len(items) - len(records),
        "pages": sum(record.pages for record in records),
        "errors": dict(sorted(Counter(str(record.error) for record in failed).items())),
    }
    folder.write(SUMMARY, (json.dumps(summary, indent=1) + "\n").encode())
    return summary


def _line(record: Record) -> str:
    return json.dumps(asdict(record), sort_keys=True) + "\n"
