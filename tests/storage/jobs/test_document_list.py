"""All documents of an organisation in one list: filtered, sorted, counted, page by page, each tenant its own."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from quire.models.cdom.flags import FlaggedPlace
from quire.models.cdom.original import ReadOptions
from quire.storage.inside.members import add_members
from quire.storage.inside.relatives import find_copies, find_members, find_source_files
from quire.storage.jobs import document_list
from quire.storage.jobs.document_list import (
    DocumentFilter,
    DocumentOrder,
    count_all_documents,
    find_chosen,
    list_all_documents,
    list_formats,
)
from quire.storage.jobs.intake import Submission, submit_job
from quire.storage.jobs.lifecycle import delete_document
from quire.storage.queue.publish import finish
from quire.storage.review.deciding import DecisionTarget, decide
from quire.storage.review.reviews import FlagState
from quire.storage.store import Store
from quire.storage.values.errors import InvalidCursor, NotFound
from quire.storage.values.rows import DocumentRow, Failed, JobRow, MemberFile, NewDocument, Scope
from quire.storage.values.states import DocumentStatus, Priority
from tests.storage.scenes import ACME, ACTOR, UNLIMITED, claim, put_blob, submit, success, worker

OTHER = Scope(tenant="other")
EMAIL = FlaggedPlace(block_id="b0", flag="pii:email", place="p1", page=1, order=0)


def names(store: Store, **wanted: object) -> list[str]:
    page = list_all_documents(store, ACME, DocumentFilter(**wanted))  # type: ignore[arg-type]
    return [listed.document.source_file for listed in page.items]


def send(store: Store, *files: str) -> JobRow:
    blob = put_blob(store)
    new = [NewDocument(name=name, blob=blob, options=ReadOptions()) for name in files]
    return submit_job(store, ACME, ACTOR, Submission(new, priority=Priority.JOB, quota=UNLIMITED))


def test_documents_of_all_jobs_are_paged_newest_first(store: Store) -> None:
    send(store, "a.pdf", "b.pdf")
    send(store, "c.pdf")
    submit(store, 2, scope=OTHER)
    first = list_all_documents(store, ACME, DocumentFilter(), limit=2)
    second = list_all_documents(store, ACME, DocumentFilter(), limit=2, cursor=first.next_cursor)
    found = [listed.document.source_file for listed in (*first.items, *second.items)]
    assert found == ["c.pdf", "b.pdf", "a.pdf"]
    assert second.next_cursor is None
    assert first.items[0].created_at >= second.items[0].created_at


def test_a_name_is_found_by_any_part_in_any_case_and_its_signs_are_letters(store: Store) -> None:
    send(store, "Quarterly Report.pdf", "100%_sure.docx", "letter.pdf")
    assert names(store, name="report") == ["Quarterly Report.pdf"]
    assert names(store, name="0%_S") == ["100%_sure.docx"]
    assert names(store, name="%") == ["100%_sure.docx"]
    assert names(store, name="\\") == []


def test_documents_are_filtered_by_status_format_and_job(store: Store) -> None:
    one, two = send(store, "good.pdf"), send(store, "bad.pdf")
    queue = worker(store)
    finish(store, [success(claim(queue)), Failed(claim=claim(queue), error="malformed")])
    send(store, "waits.pdf")
    assert names(store, status=DocumentStatus.SUCCEEDED) == ["good.pdf"]
    assert names(store, status=DocumentStatus.FAILED) == ["bad.pdf"]
    assert names(store, status=DocumentStatus.QUEUED, name="WAITS") == ["waits.pdf"]
    assert names(store, format="pdf") == ["good.pdf"]
    assert names(store, format="docx") == []
    assert (names(store, job_ids=(one.id,)), names(store, job_ids=(two.id,))) == (["good.pdf"], ["bad.pdf"])
    assert list_formats(store.db, ACME) == ["pdf"]


def test_documents_are_filtered_by_the_time_they_were_sent(store: Store) -> None:
    send(store, "now.pdf")
    now = datetime.now(UTC)
    assert names(store, since=now - timedelta(hours=1), until=now + timedelta(hours=1)) == ["now.pdf"]
    assert names(store, since=now + timedelta(hours=1)) == []
    assert names(store, until=now - timedelta(hours=1)) == []
    assert names(store, since=(now - timedelta(hours=1)).replace(tzinfo=None)) == ["now.pdf"]


def flagged(store: Store) -> DocumentRow:
    job = send(store, "letter.pdf")
    finish(store, [replace(success(claim(worker(store))), flags=(EMAIL,))])
    return job.documents[0]


def test_flags_are_counted_until_they_are_rejected(store: Store) -> None:
    document = flagged(store)
    (listed,) = list_all_documents(store, ACME, DocumentFilter(flag="pii:email")).items
    assert listed.flags == {"pii:email": 1}
    assert names(store, flag="pii") == ["letter.pdf"]
    assert names(store, flag="pii:iban") == []
    decide(
        store.db, ACME, ACTOR, document_id=document.id, decision=FlagState.REJECTED,
        targets=[DecisionTarget(block_id="b0", flag="pii:email", place="p1")],
    )  # fmt: skip
    assert list_all_documents(store, ACME, DocumentFilter()).items[0].flags == {}


def test_a_deleted_document_is_not_listed(store: Store) -> None:
    document = flagged(store)
    delete_document(store.db, ACME, ACTOR, document.id)
    assert names(store) == []
    assert list_formats(store.db, ACME) == []


def test_a_cursor_of_one_filter_or_tenant_is_not_good_for_another(store: Store) -> None:
    send(store, "a.pdf", "b.pdf")
    cursor = list_all_documents(store, ACME, DocumentFilter(), limit=1).next_cursor
    for scope, wanted in ((ACME, DocumentFilter(name="a")), (OTHER, DocumentFilter())):
        with pytest.raises(InvalidCursor):
            list_all_documents(store, scope, wanted, cursor=cursor)


def test_chosen_documents_come_in_submit_order_with_their_trees(store: Store) -> None:
    job = send(store, "good.pdf", "bad.pdf", "waits.pdf")
    queue = worker(store)
    finish(store, [success(claim(queue)), Failed(claim=claim(queue), error="malformed")])
    good, bad, waits = (document.id for document in job.documents)
    chosen = find_chosen(store.db, ACME, job_id=job.id)
    assert [one.document.id for one in chosen] == [good, bad, waits]
    tree, *others = [one.tree for one in chosen]
    assert others == [None, None]
    assert tree is not None
    assert (tree.source_file, tree.attempt, list(tree.manifest), tree.format) == ("good.pdf", 1, ["tree.json"], "pdf")
    assert find_chosen(store.db, ACME, document_ids=[waits, good, good]) == [chosen[0], chosen[2]]


def test_a_document_that_is_read_again_has_no_tree_for_the_moment(store: Store) -> None:
    job = send(store, "letter.pdf")
    finish(store, [success(claim(worker(store)))])
    with store.db.autocommit() as conn:
        conn.execute("update documents set status = 'running' where id = %s", (job.documents[0].id,))
    assert [one.tree for one in find_chosen(store.db, ACME, job_id=job.id)] == [None]


def test_unknown_deleted_or_foreign_document_is_not_chosen(store: Store) -> None:
    document = flagged(store)
    for scope, ids in ((OTHER, [document.id]), (ACME, [document.id, "doc_nobody"])):
        with pytest.raises(NotFound):
            find_chosen(store.db, scope, document_ids=ids)
    with pytest.raises(NotFound):
        find_chosen(store.db, OTHER, job_id=document.job_id)
    delete_document(store.db, ACME, ACTOR, document.id)
    assert find_chosen(store.db, ACME, job_id=document.job_id) == []
    with pytest.raises(NotFound):
        find_chosen(store.db, ACME, document_ids=[document.id])


def test_list_is_sorted_and_paged_by_each_column(store: Store) -> None:
    sizes = {"b.pdf": b"12", "A.pdf": b"1", "c.pdf": b"123"}
    for name, data in sizes.items():
        new = [NewDocument(name=name, blob=put_blob(store, data), options=ReadOptions())]
        submit_job(store, ACME, ACTOR, Submission(new, priority=Priority.JOB, quota=UNLIMITED))
    finish(store, [success(claim(worker(store)))])

    def sorted_by(order: DocumentOrder) -> list[str]:
        found: list[str] = []
        cursor = None
        while not found or cursor:
            page = list_all_documents(store, ACME, DocumentFilter(), order=order, limit=1, cursor=cursor)
            found += [listed.document.source_file for listed in page.items]
            cursor = page.next_cursor
        return found

    assert sorted_by(DocumentOrder.NAME) == ["A.pdf", "b.pdf", "c.pdf"]
    assert sorted_by(DocumentOrder.NAME_DOWN) == ["c.pdf", "b.pdf", "A.pdf"]
    assert sorted_by(DocumentOrder.BYTES) == ["A.pdf", "b.pdf", "c.pdf"]
    assert sorted_by(DocumentOrder.BYTES_DOWN) == ["c.pdf", "b.pdf", "A.pdf"]
    assert sorted_by(DocumentOrder.OLDEST) == ["b.pdf", "A.pdf", "c.pdf"]
    assert sorted_by(DocumentOrder.PAGES_DOWN)[0] == sorted_by(DocumentOrder.STATUS_DOWN)[0] == "b.pdf"
    assert sorted_by(DocumentOrder.TYPE_DOWN)[0] == sorted_by(DocumentOrder.TYPE)[2] == "b.pdf"
    assert sorted_by(DocumentOrder.PAGES)[2] == sorted_by(DocumentOrder.STATUS)[2] == "b.pdf"


def test_cursor_of_another_order_is_refused(store: Store) -> None:
    send(store, "a.pdf", "b.pdf")
    cursor = list_all_documents(store, ACME, DocumentFilter(), order=DocumentOrder.NAME, limit=1).next_cursor
    with pytest.raises(InvalidCursor):
        list_all_documents(store, ACME, DocumentFilter(), order=DocumentOrder.NAME_DOWN, limit=1, cursor=cursor)


def test_counts_cover_the_filter_and_stop_at_the_limit(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    send(store, "a.pdf", "b.pdf", "c.txt")
    finish(store, [success(claim(worker(store)))])
    everything = count_all_documents(store, ACME, DocumentFilter())
    assert (everything.documents, everything.complete) == (3, True)
    assert everything.pages == count_all_documents(store, ACME, DocumentFilter(format="pdf")).pages > 0
    assert count_all_documents(store, ACME, DocumentFilter(name=".pdf")).documents == 2
    assert count_all_documents(store, OTHER, DocumentFilter()).documents == 0
    monkeypatch.setattr(document_list, "MOST_COUNTED", 2)
    assert not count_all_documents(store, ACME, DocumentFilter()).complete


def test_members_follow_their_parents_and_can_be_left_out(store: Store) -> None:
    send(store, "mail.eml")
    queue = worker(store)
    mail = claim(queue)
    files = tuple(
        MemberFile(name=name, path=f"{at}/{name}", blob=put_blob(store, name.encode()))
        for at, name in enumerate(("z.zip", "a.txt", "b.txt"))
    )
    finish(store, [replace(success(mail), members=files)], add_members)
    archive = claim(queue)
    inner = MemberFile(name="deep.txt", path="0/deep.txt", blob=put_blob(store, b"deep"))
    finish(store, [replace(success(archive), members=(inner,))], add_members)
    assert names(store, members=False) == ["mail.eml"]
    members, totals = find_members(store.db, ACME, [mail.document_id], most=3)
    assert [(member.level, member.listed.document.source_file) for member in members] == [
        (1, "z.zip"), (2, "deep.txt"), (1, "a.txt"),
    ]  # fmt: skip
    assert totals == {mail.document_id: 4}
    assert find_members(store.db, OTHER, [mail.document_id], most=3) == ([], {})
    delete_document(store.db, ACME, ACTOR, mail.document_id)
    assert sorted(names(store, members=False)) == ["a.txt", "b.txt", "z.zip"]


def test_documents_with_the_same_content_are_found_by_their_hash(store: Store) -> None:
    first, copy = send(store, "first.pdf"), send(store, "copy.pdf")
    new = [NewDocument(name="other.pdf", blob=put_blob(store, b"other"), options=ReadOptions())]
    submit_job(store, ACME, ACTOR, Submission(new, priority=Priority.JOB, quota=UNLIMITED))
    page = list_all_documents(store, ACME, DocumentFilter())
    contents = [str(listed.document.sha256) for listed in page.items]
    copies = find_copies(store.db, ACME, contents)
    assert set(copies) == {contents[1]} == {contents[2]}
    assert (copies[contents[1]].total, copies[contents[1]].first_name) == (2, "first.pdf")
    assert names(store, sha256=contents[1]) == ["copy.pdf", "first.pdf"]
    assert find_copies(store.db, OTHER, contents) == {}
    ids = [job.documents[0].id for job in (first, copy)]
    assert find_source_files(store.db, ACME, ids) == {
        ids[0]: (first.id, "first.pdf"), ids[1]: (copy.id, "copy.pdf"),
    }  # fmt: skip
