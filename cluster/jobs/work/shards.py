"""Lines to shards: files of at most so many lines, named by number and content, with a list of them written last.

The same lines give the same names and bytes; a shard that is there already is not written again.
"""

import hashlib
import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass

from quire.cluster.jobs.work.folders import Folder

LIST = "shards.json"
SHARD = re.compile(r"[a-z]+-\d{5,}-[0-9a-f]{16}\.jsonl")


@dataclass(frozen=True, slots=True, kw_only=True)
class Shard:
    """One file of the list."""

    name: str
    lines: int
    bytes: int
    sha256: str


def write_shards(folder: Folder, prefix: str, lines: Iterable[str], *, lines_per_shard: int) -> list[Shard]:
    """Write the shards of these lines, then their list, and return the shards."""
    existing = dict(folder.names())
    entries: list[Shard] = []
    for number, part in enumerate(_parts(lines, lines_per_shard)):
        data = "".join(part).encode()
        digest = hashlib.sha256(data).hexdigest()
        name = f"{prefix}-{number:05d}-{digest[:16]}.jsonl"
        if existing.get(name) != len(data):
            folder.write(name, data)
        entries.append(Shard(name=name, lines=len(part), bytes=len(data), sha256=digest))
    folder.write(LIST, (json.dumps([asdict(entry) for entry in entries], indent=1) + "\n").encode())
    return entries


def drop_others(folder: Folder, shards: Iterable[Shard]) -> None:
    """Delete shards of earlier exports with another corpus or other options."""
    names = {shard.name for shard in shards}
    for name in [name for name, _ in folder.names() if SHARD.fullmatch(name) and name not in names]:
        folder.delete(name)


def _parts(lines: Iterable[str], size: int) -> Iterator[list[str]]:
    part: list[str] = []
    for line in lines:
        part.append(line)
        if len(part) == size:
            yield part
            part = []
    if part:
        yield part
