"""Marks of stores: a small file in each store names the deployment that it belongs to.

Decides nothing: `storage/upkeep/deployment.py` compares.
"""

import json
from dataclasses import asdict, dataclass, fields
from pathlib import Path

from quire.storage.objects.durable_files import disk_errors, make_folder, replace_file
from quire.storage.values.errors import NotFound, StoreUnavailable

MARK = "deployment.json"
QUARANTINE = "quarantine"


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """Content of a mark.

    `id` names the deployment, `database` and `place` say where its database and this store were. `tick` is the
    database's count at the time of the mark, so a database with a lower count is an older copy.
    """

    id: str
    tick: int
    database: str
    place: str


class MarkedStore:
    """A folder that can carry a mark; `name` is its name for people. `MarkedBucket` is the same for a bucket."""

    def __init__(self, name: str, place: str | Path) -> None:
        self.name, self.place = name, str(Path(place).resolve())

    def read(self) -> Mark | None:
        """Return the mark, or None without one. Raises StoreUnavailable."""
        try:
            raw = json.loads(self._read())
            return Mark(**{item.name: raw[item.name] for item in fields(Mark)})
        except NotFound:
            return None
        except (ValueError, TypeError, KeyError):
            raise StoreUnavailable(f"{self.place}/{MARK} is damaged") from None

    def write(self, mark: Mark) -> None:
        """Replace the mark. Raises StoreUnavailable."""
        self._write(json.dumps(asdict(mark), indent=1).encode())

    def is_empty(self) -> bool:
        """Return whether nothing but a mark is stored."""
        return not any(path.is_file() and path.name != MARK for path in Path(self.place).rglob("*"))

    def _read(self) -> bytes:
        try:
            with disk_errors():
                return (Path(self.place) / MARK).read_bytes()
        except (FileNotFoundError, NotADirectoryError):
            raise NotFound("no mark") from None

    def _write(self, content: bytes) -> None:
        folder = Path(self.place)
        with disk_errors():
            make_folder(folder)
            replace_file(folder / MARK, content)
