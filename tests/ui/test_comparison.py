"""Two documents side by side: what was added, removed, changed and moved, and how one comes there."""

from dataclasses import replace

import pytest

from quire.models.cdom.tree import BlockType, Tree
from quire.serve_apps.api.context.limited_work import WorkLimits
from quire.serve_apps.ui.browser import comparison
from quire.serve_apps.ui.browser.comparison import ComparedBlock, compare_for_page
from quire.storage.store import Store
from tests.api.harness import make_resources, reading, serving
from tests.builders import make_block, make_tree
from tests.ui.conftest import SAME_SITE, Visitor, visitor_of
from tests.ui.test_page_view import a_block, sent

RENT = "The rent is {} euros a month, due on the third day"


def paragraphs(*texts: str) -> Tree:
    return make_tree(*(make_block(BlockType.PARAGRAPH, text) for text in texts))


def words(block: ComparedBlock | None) -> list[tuple[str, bool]]:
    return [] if block is None else [(piece.text, piece.changed) for piece in block.words]


def test_changed_words_are_marked_on_both_sides() -> None:
    found = compare_for_page((paragraphs(RENT.format("900")), paragraphs(RENT.format("950 or 960"))))
    (row,) = found.runs[0].rows
    end = ("euros a month, due on the third day", False)
    assert words(row.left) == [("The rent is", False), ("900", True), end]
    assert words(row.right) == [("The rent is", False), ("950 or 960", True), end]


def test_words_that_only_one_side_has_are_marked_there() -> None:
    text = "due on the third day of each month"
    found = compare_for_page((paragraphs(text), paragraphs(f"Rent is {text} at noon")))
    (row,) = found.runs[0].rows
    assert words(row.left) == [(text, False)]
    assert words(row.right) == [("Rent is", True), (text, False), ("at noon", True)]


def test_many_equal_blocks_are_folded_and_few_are_context() -> None:
    same = [f"equal {number}" for number in range(9)]
    found = compare_for_page((paragraphs("old first", *same, "a", "gone"), paragraphs(*same, "a", "quite new")))
    assert [(run.folded, run.count) for run in found.runs] == [(False, 1), (True, 10), (False, 2)]
    assert [row.change for row in found.runs[2].rows] == ["removed", "added"]
    few = compare_for_page((paragraphs("x", "equal", "gone"), paragraphs("y", "equal")))
    assert [run.folded for run in few.runs] == [False]


def test_moved_block_is_counted_as_moved() -> None:
    found = compare_for_page((paragraphs("a", "b", "c"), paragraphs("b", "c", "a")))
    assert (found.moved, found.summary.unchanged) == (1, 3)


def test_no_page_grows_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(comparison, "SHOWN_ROWS", 3)
    found = compare_for_page((paragraphs("x"), paragraphs(*(f"new {number}" for number in range(9)))))
    assert found.cut
    assert sum(len(run.rows) for run in found.runs) == 3
    assert not compare_for_page((paragraphs("x"), paragraphs("y"))).cut


async def test_two_documents_are_shown_side_by_side(visitor: Visitor) -> None:
    first = await sent(visitor, a_block(RENT.format("900"), 1), a_block("Old words", 1))
    second = await sent(visitor, a_block(RENT.format("950"), 1), a_block("<b>Quite new", 2))
    a, b = (one.rpartition("/")[2] for one in (first, second))
    text = (await visitor.http.get(f"/ui/compare?a={a}&b={b}")).text
    assert "<mark>900</mark>" in text
    assert "<mark>950</mark>" in text
    assert "&lt;b&gt;Quite new" in text
    assert "<strong>1</strong> changed, <strong>1</strong> added, <strong>1</strong> removed" in text
    assert f'href="{second}?page=2&amp;blocks=' in text
    same = (await visitor.http.get(f"/ui/compare?a={a}&b={a}")).text
    assert "No differences" in same


async def test_comparison_list_names_other_readings_of_the_same_file(visitor: Visitor) -> None:
    one, other = [await sent(visitor, a_block("words", 1)) for _ in range(2)]
    a, b = (here.rpartition("/")[2] for here in (one, other))
    assert f"/ui/compare?a={a}" in (await visitor.http.get(one)).text
    text = (await visitor.http.get(f"/ui/compare?a={a}")).text
    assert f"?a={a}&amp;b={b}" in text
    assert f"b={a}" not in text
    assert "same name" in text
    nothing = (await visitor.http.get(f"/ui/compare?a={a}&name=zebra")).text
    assert "No other document" in nothing
    assert f"?a={b}" in (await visitor.http.get("/ui/compare")).text


async def test_two_ticked_documents_lead_to_their_comparison(visitor: Visitor) -> None:
    pairs = ["/".join(here.split("/")[3::2]) for here in [await sent(visitor, a_block("x", 1)) for _ in range(2)]]
    fields = {"act": "compare", "id": pairs, "csrf": visitor.csrf, "query": ""}
    answer = await visitor.http.post("/ui/act-on-many", data=fields, headers=SAME_SITE)
    a, b = (pair.partition("/")[2] for pair in pairs)
    assert (answer.status_code, answer.headers["location"]) == (303, f"/ui/compare?a={a}&b={b}")


async def test_a_document_of_others_or_one_that_was_not_read_is_refused(visitor: Visitor) -> None:
    assert (await visitor.http.get("/ui/compare?a=doc_none")).status_code in {404, 422}
    job = await visitor.upload(("broken.pdf", b"nothing"))
    (row,) = (await visitor.http.get(f"/ui/v1/documents?job_id={job['id']}")).json()
    answer = await visitor.http.get(f"/ui/compare?a={row['document_id']}")
    assert answer.status_code == 409
    assert "cannot be compared" in answer.text


async def test_trees_of_hostile_size_are_compared_in_a_process(store: Store, dsn: str) -> None:
    limits = replace(WorkLimits(), heavy_chars=10)
    async with serving(replace(make_resources(store, dsn=dsn), work_limits=limits)) as app:
        with reading(store):
            visitor = visitor_of(app)
            async with visitor.http:
                await visitor.sign_in()
                a, b = [
                    (await sent(visitor, a_block(RENT.format(rent), 1))).rpartition("/")[2] for rent in ("900", "950")
                ]
                assert "<mark>950</mark>" in (await visitor.http.get(f"/ui/compare?a={a}&b={b}")).text
