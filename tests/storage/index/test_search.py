"""Search results: published documents of the caller, by words, by vectors, by both."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from quire.models.cdom.search import SearchMode, nothing_fits
from quire.storage.jobs.lifecycle import delete_document, delete_job
from quire.storage.values.errors import NotFound
from quire.storage.values.rows import Scope
from tests.storage.index.library import Library, embed, entries
from tests.storage.scenes import ACME, ACTOR

OTHER = Scope(tenant="zeta")


@pytest.mark.parametrize("mode", list(SearchMode))
def test_published_document_is_found_with_its_place(either: Library, mode: SearchMode) -> None:
    done = either.publish("The ropes were measured twice.", "Apples ripen in autumn in the north.")
    hit = either.ask("when do apples ripen", mode)[0]
    assert (hit.job_id, hit.document_id, hit.chunk_id, hit.mode) == (done.job_id, done.document_id, "c1", mode)
    assert (hit.source_file, hit.pages, hit.block_ids) == ("0.pdf", (2, 2), ("b1",))
    assert hit.bboxes == ({"page": 2, "bbox": [0, 0, 1, 1]},)
    assert [hit.snippet[a:b] for a, b in hit.highlights] == ["Apples", "ripen"]


def test_rows_without_a_commit_are_not_shown(library: Library) -> None:
    claimed = library.claim()
    library.index(claimed, "apples ripen")
    assert library.ask("apples") == []
    library.finish(claimed)
    assert len(library.ask("apples")) == 1


def test_only_the_published_generation_counts(library: Library) -> None:
    claimed = library.publish("apples ripen")
    library.writer.write([entries(ACME, claimed.document_id, claimed.attempt + 1, ["apples rot"])])
    assert [hit.text for hit in library.ask("apples")] == ["apples ripen"]


def test_another_tenants_documents_do_not_exist(library: Library) -> None:
    foreign = library.publish("secret apples", scope=OTHER)
    assert library.ask("secret apples") == []
    with pytest.raises(NotFound):
        library.ask("apples", document_id=foreign.document_id)
    with pytest.raises(NotFound):
        library.ask("apples", job_id=foreign.job_id)


def test_a_search_can_be_narrowed_to_a_document_or_a_job(library: Library) -> None:
    one, two = library.publish("apples here"), library.publish("apples there")
    for mode in SearchMode:
        assert [hit.text for hit in library.ask("apples", mode, document_id=one.document_id)] == ["apples here"]
        assert [hit.text for hit in library.ask("apples", mode, job_id=two.job_id)] == ["apples there"]


@pytest.mark.parametrize("mode", list(SearchMode))
def test_a_search_can_be_narrowed_to_a_format_a_time_and_a_language(library: Library, mode: SearchMode) -> None:
    library.publish("apples here")
    soon = datetime.now(UTC) + timedelta(days=1)
    for narrowed in ({"format": "pdf"}, {"until": soon}, {"since": soon - timedelta(days=2)}, {"language": "en"}):
        assert [hit.text for hit in library.ask("apples", mode, **narrowed)] == ["apples here"]
    for narrowed in ({"format": "docx"}, {"since": soon}, {"until": soon - timedelta(days=2)}, {"language": "de"}):
        assert library.ask("apples", mode, **narrowed) == []


def test_named_document_without_a_match_is_not_unknown(library: Library) -> None:
    done = library.publish("apples here")
    assert library.ask("apples", document_id=done.document_id, format="docx") == []


def test_similarity_is_measured_with_the_original_question(library: Library) -> None:
    library.publish("apples ripen in autumn", "ropes are measured twice")
    for mode in (SearchMode.VECTOR, SearchMode.HYBRID):
        hit = library.ask("when do apples ripen in autumn", mode)[0]
        expected = float(embed([hit.text])[0] @ embed(["when do apples ripen in autumn"])[0])
        assert hit.similarity == pytest.approx(expected, abs=1e-3)
    assert library.ask("apples", SearchMode.FTS)[0].similarity is None


@pytest.mark.parametrize(
    ("question", "found", "expected"),
    [
        ("bake bread", [(0.2, [])], True),
        ("bake bread", [(0.2, ["bread"])], True),
        ("bake bread", [(0.2, ["Bread", "bake"])], False),
        ("INV-2231", [(0.1, ["inv", "2231"])], False),
        ("bake bread", [(0.31, [])], False),
        ("bake bread", [(0.1, []), (0.31, [])], False),
        ("bake bread", [(None, [])], False),
        ("bake bread", [], False),
    ],
)
def test_nothing_fits_without_a_near_passage_or_most_of_the_words(
    question: str, found: list[tuple[float | None, list[str]]], expected: bool
) -> None:
    assert nothing_fits(question, found) is expected


def test_deleted_documents_are_gone_at_once(library: Library) -> None:
    one, two = library.publish("apples here"), library.publish("apples there")
    delete_document(library.store.db, ACME, ACTOR, one.document_id)
    assert [hit.document_id for hit in library.ask("apples")] == [two.document_id]
    delete_job(library.store.db, ACME, ACTOR, two.job_id)
    assert library.ask("apples") == []
    with pytest.raises(NotFound):
        library.ask("apples", document_id=one.document_id)


def test_enough_is_left_when_most_candidates_may_not_be_shown(library: Library) -> None:
    kept = library.publish("apples and pears")
    for number in range(4):
        claimed = library.claim()
        library.index(claimed, *(f"apples apples {number} {n}" for n in range(40)))
    for mode in SearchMode:
        assert [hit.document_id for hit in library.ask("apples", mode)] == [kept.document_id]


def test_words_are_found_by_their_stem_and_operators_mean_nothing(library: Library) -> None:
    library.publish("Measuring ropes is tedious.")
    for q in ("measured rope", 'rope" OR (', "rope AND NOT ropes", "text_en:rope^9 *", "+rope -measuring", "rope\\"):
        assert len(library.ask(q, SearchMode.FTS)) == 1, q
    for q in ("*", '"', "the of and", "(" * 500):
        assert library.ask(q, SearchMode.FTS) == []


def test_each_language_has_its_own_stems(library: Library) -> None:
    claimed = library.claim()
    found = entries(ACME, claimed.document_id, claimed.attempt, ["Die Verträge wurden gekündigt", "rope"])
    german = found.chunks[0].__class__(index=0, chunk_id="c0", text=found.chunks[0].text, language="de")
    library.writer.write([entries(ACME, claimed.document_id, claimed.attempt, ["ropes"])])
    library.writer.write(
        [found.__class__(**{**{n: getattr(found, n) for n in ("scope", "document_id", "generation")},
                            "chunks": [german], "vectors": found.vectors[:1] if found.vectors is not None else None})]
    )  # fmt: skip
    library.finish(claimed)
    assert [hit.chunk_id for hit in library.ask("vertrag kündigen", SearchMode.FTS)] == ["c0"]


def test_a_least_score_cuts_the_answer(library: Library) -> None:
    library.publish("apples ripen", "apples and many other words that are about something else")
    both = library.ask("apples ripen", SearchMode.VECTOR)
    assert len(both) == 2
    assert len(library.ask("apples ripen", SearchMode.VECTOR, min_score=both[0].score)) == 1


def test_without_a_keyword_index_vectors_answer_and_say_so(library: Library, tmp_path: object) -> None:
    library.publish("apples ripen")
    for state in library.place.keywords.glob("*/state.json"):
        state.unlink()
    assert {hit.mode for mode in SearchMode for hit in library.ask("apples", mode)} == {SearchMode.VECTOR}


def test_without_a_model_words_answer_and_say_so(library: Library) -> None:
    library.publish("apples ripen")
    from quire.models.cdom.search import SearchRequest

    hits = library.reader.search(SearchRequest(tenant="acme", org="default", q="apples"), None)
    assert [hit.mode for hit in hits] == [SearchMode.FTS]


def test_chunk_is_found_by_words_of_its_headings(library: Library) -> None:
    claimed = library.claim()
    entry = entries(ACME, claimed.document_id, claimed.attempt, ["They were replaced before winter.", "Nothing else."])
    under = [
        replace(chunk, facts=chunk.facts | {"section_path": ["Harbour", "Crane brakes"]}) for chunk in entry.chunks
    ]
    library.writer.write([replace(entry, chunks=[under[0], entry.chunks[1]])])
    library.finish(claimed, 2)
    (hit,) = library.ask("brakes", SearchMode.FTS)
    assert hit.text == "They were replaced before winter."
