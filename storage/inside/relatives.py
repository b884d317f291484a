"""Documents related to listed ones: files inside them, documents around them, and copies of their content."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from quire.storage.jobs.columns import DOCUMENT_COLUMNS
from quire.storage.jobs.document_list import ListedDocument, to_listed
from quire.storage.jobs.documents import FROM
from quire.storage.postgres.database import Database
from quire.storage.values.rows import Scope
from quire.storage.values.scoping import owned_by

_MEMBERS: Final = f"""
with recursive inside as (
  select d.id, d.parent_document_id as root, array[d.position] as trail from documents d
  where d.parent_document_id = any(%(ids)s) and d.tenant = %(tenant)s and d.org = %(org)s and d.deleted_at is null
  union all
  select d.id, i.root, i.trail || d.position from documents d join inside i on d.parent_document_id = i.id
  where d.deleted_at is null
), numbered as (
  select *, row_number() over (partition by root order by trail) as place, count(*) over (partition by root) as total
  from inside
)
select n.root, n.total, cardinality(n.trail) as level, d.created_at, {DOCUMENT_COLUMNS}
{FROM} join numbered n on n.id = d.id where n.place <= %(most)s order by n.root, n.trail
"""
_COPIES: Final = """
select sha256, count(*) as total, (array_agg(id order by created_at, id))[1] as first_id,
       (array_agg(source_file order by created_at, id))[1] as first_name
from documents where tenant = %(tenant)s and org = %(org)s and deleted_at is null and sha256 = any(%(contents)s)
group by sha256 having count(*) > 1
"""


@dataclass(frozen=True, slots=True)
class Member:
    """A file inside a document. `root` is the listed document, `level` the number of files around the member."""

    root: str
    level: int
    listed: ListedDocument


@dataclass(frozen=True, slots=True)
class Copies:
    """Documents with the same content: their number, and the id and name of the one sent first."""

    total: int
    first_id: str
    first_name: str


def find_members(
    db: Database, scope: Scope, documents: Sequence[str], *, most: int
) -> tuple[list[Member], dict[str, int]]:
    """Return the files inside each document, at most `most` of each, and how many each contains on all levels."""
    rows = db.fetch_all(_MEMBERS, owned_by(scope, ids=list(documents), most=most)) if documents else []
    members = [Member(row["root"], row["level"], listed) for row, listed in zip(rows, to_listed(db, rows), strict=True)]
    return members, {row["root"]: row["total"] for row in rows}


def find_copies(db: Database, scope: Scope, contents: Sequence[str]) -> dict[str, Copies]:
    """Return the documents that share a content, for each of these SHA-256 values that several documents have."""
    rows = db.fetch_all(_COPIES, owned_by(scope, contents=list(contents))) if contents else []
    return {row["sha256"]: Copies(row["total"], row["first_id"], row["first_name"]) for row in rows}


def find_source_files(db: Database, scope: Scope, documents: Sequence[str]) -> dict[str, tuple[str, str]]:
    """Return job id and file name of each of these documents that is not deleted."""
    rows = db.fetch_all(
        """select id, job_id, source_file from documents
           where tenant = %(tenant)s and org = %(org)s and deleted_at is null and id = any(%(ids)s)""",
        owned_by(scope, ids=list(documents)),
    )
    return {row["id"]: (row["job_id"], row["source_file"]) for row in rows}
