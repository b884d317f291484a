"""Erase a person: search all stored data of an organisation for a value, delete the matches and report them.

The report contains ids and counts, never the value itself. It contains a keyed digest of the value and is signed, so
the holder of the key can later check it against the value. Blocks: call in a thread.
"""

import json
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import Any

from quire.models.cdom.tree import Tree, load_tree
from quire.models.pii.letters import letters
from quire.models.redaction.planning.folded import fold_text
from quire.models.redaction.planning.search import texts_of_tree
from quire.storage.jobs.lifecycle import delete_document
from quire.storage.objects.artifacts import TREE
from quire.storage.store import Store
from quire.storage.upkeep.erasure import StoredDocument, erase_events, erase_metadata, list_copies, list_stored
from quire.storage.values.errors import Conflict, NotFound
from quire.storage.values.rows import Actor, Scope
from quire.storage.values.signing import Signer

LEAST_LETTERS = 3
"""Minimum letters and digits of a value; shorter ones occur in too many words."""
_PURPOSE = "erasure-report"
_RESULTS = {"target": "deletion is sent", "webhook": "kept by the receiver", "backup": "kept until you delete it"}


class ValueTooShort(ValueError):
    """The value has too few letters and digits to search for."""

    code = "value-too-short"


OnDocument = Callable[[str], None]
"""Called with the id of each searched document."""


def _ignore(document_id: str) -> None:
    """Ignore progress."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundPerson:
    """A document that contains the value.

    `places` counts occurrences in its text; the other fields cover its name and its job's metadata.
    """

    document: StoredDocument
    places: int
    in_name: bool
    in_metadata: bool


def find_person(
    store: Store, scope: Scope, value: str, on_document: OnDocument = _ignore
) -> tuple[list[FoundPerson], list[StoredDocument]]:
    """Return documents that contain the value, and documents that could not be searched because they have no tree.

    Raises:
        ValueTooShort: The value has fewer than three letters or digits.
    """
    searched = letters(value)
    if len(searched) < LEAST_LETTERS:
        raise ValueTooShort("expected at least three letters or digits")
    matches: list[FoundPerson] = []
    unread: list[StoredDocument] = []
    for document in list_stored(store.db, scope):
        tree = _read(store, document)
        on_document(document.document_id)
        if tree is None:
            unread.append(document)
        match = FoundPerson(
            document=document,
            places=_count(_text_of(tree), searched) if tree is not None else 0,
            in_name=_count(document.source_file, searched) > 0,
            in_metadata=_count(json.dumps(document.metadata, ensure_ascii=False), searched) > 0,
        )
        if match.places or match.in_name or match.in_metadata:
            matches.append(match)
    return matches, unread


def erase_person(
    store: Store, scope: Scope, actor: Actor, value: str, *, really: bool, on_document: OnDocument = _ignore
) -> dict[str, Any]:
    """Search for a person's value, delete matching documents if `really`, and return the signed report.

    A deletion covers stores, index, stored events and later backups at once, and is sent to the targets. A document
    that is being read is reported `unfinished` and stays; call again when its reading has ended.
    """
    matches, unread = find_person(store, scope, value, on_document)
    copies = list_copies(store.db, scope, [match.document.document_id for match in matches])
    lines = [_erase(store, scope, actor, match) if really else _line(match, "found") for match in matches]
    jobs = sorted({match.document.job_id for match in matches if match.in_metadata})
    if really and jobs:
        erase_metadata(store.db, scope, actor, jobs)
    if really and (named := {match.document.job_id for match in matches if match.in_name or match.in_metadata}):
        erase_events(store.db, scope, sorted(named))
    report: dict[str, Any] = {
        "tenant": scope.tenant,
        "org": scope.org,
        "by": actor.key_name,
        "at": datetime.now(UTC).isoformat(timespec="seconds"),
        "value": digest_value(store.signer, value),
        "erased": really,
        "searched": len(list_stored(store.db, scope)) + sum(line["result"] == "deleted" for line in lines),
        "found": lines,
        "metadata": jobs,
        "copies": [asdict(copy) | {"result": _RESULTS[copy.kind] if really else "found"} for copy in copies],
        "unread": [
            {"document_id": match.document_id, "job_id": match.job_id, "status": match.status} for match in unread
        ],
    }
    return report | {"signature": sign_report(store.signer, report)}


def digest_value(signer: Signer, value: str) -> str:
    """Return a keyed digest that does not depend on the value's spelling and reveals nothing without the key."""
    return signer.sign("erasure-value", letters(value).encode()).hex()


def sign_report(signer: Signer, report: dict[str, Any]) -> str:
    """Return an HMAC over all fields except the signature."""
    facts = {key: value for key, value in report.items() if key != "signature"}
    return signer.sign(_PURPOSE, json.dumps(facts, sort_keys=True, separators=(",", ":")).encode()).hex()


def _erase(store: Store, scope: Scope, actor: Actor, match: FoundPerson) -> dict[str, Any]:
    if not (match.places or match.in_name):
        return _line(match, "metadata erased")
    try:
        delete_document(store.db, scope, actor, match.document.document_id)
    except Conflict:
        return _line(match, "unfinished")
    return _line(match, "deleted")


def _line(match: FoundPerson, result: str) -> dict[str, Any]:
    document = match.document
    return {
        "document_id": document.document_id,
        "job_id": document.job_id,
        "places": match.places,
        "in_name": match.in_name,
        "in_metadata": match.in_metadata,
        "result": result,
    }


def _read(store: Store, document: StoredDocument) -> Tree | None:
    if document.attempt is None:
        return None
    try:
        return load_tree(store.artifacts.read(document.document_id, document.attempt, TREE))
    except NotFound:
        return None


def _text_of(tree: Tree) -> str:
    return "\n".join(_texts(tree))


def _texts(tree: Tree) -> Iterator[str]:
    """Yield the texts in reading order, so a value that is split over two blocks or cells is still found."""
    for _, text in texts_of_tree(tree):
        if text:
            yield text


def _count(text: str, searched: str) -> int:
    return sum(1 for _ in fold_text(text).find(searched))
