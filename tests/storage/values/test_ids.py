"""Identifiers: random, of one shape, distinguished by kind."""

from quire.storage.values.ids import is_document_id, is_job_id, new_document_id, new_event_id, new_job_id, new_worker_id


def test_ids_are_a_prefix_and_26_base32_characters() -> None:
    assert is_job_id(new_job_id())
    assert is_document_id(new_document_id())
    assert len(new_event_id()) == len(new_worker_id()) == 30


def test_ids_do_not_repeat() -> None:
    assert len({new_job_id() for _ in range(1000)}) == 1000


def test_other_shapes_are_not_ids() -> None:
    good = new_job_id()
    for bad in ("", "job_", good[:-1], good + "a", good.upper(), good[:-1] + "1", good + "\n", "doc_" + good[4:]):
        assert not is_job_id(bad)
    assert not is_document_id(good)
