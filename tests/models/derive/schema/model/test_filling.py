"""A model is asked about doubtful values and arrays; with one that is always right no value of theirs stays wrong."""

import pytest

from quire.models.derive.schema.answer import ExtractedData, How, LeafEvidence, Missing
from quire.models.derive.schema.extract import read_schema
from quire.models.derive.schema.model.filling import SURE, fill_missing, find_doubtful

TEXT = {"type": "string"}
ROWS = {"type": "array", "items": {"type": "object", "properties": {"name": TEXT}}}
READ = read_schema({"type": "object", "properties": {"number": TEXT, "lines": ROWS}})
RIGHT = {"number": "A-1", "lines": [{"name": name} for name in "abcd"]}


def stated(confidence: float) -> LeafEvidence:
    return LeafEvidence(places=(), verbatim="x", confidence=confidence, how=How.PAIR)


@pytest.mark.parametrize("row", range(4))
def test_array_with_a_doubtful_row_is_asked_and_settled(row: int) -> None:
    lines = [{"name": name} for name in "abcd"]
    lines[row] = {"name": "wrong"}
    evidence = {f"/lines/{number}/name": stated(0.5 if number == row else 1.0) for number in range(4)}
    rules = ExtractedData(data={"number": "A-1", "lines": lines}, evidence=evidence | {"/number": stated(1.0)})
    assert find_doubtful(READ, rules) == {f"/lines/{row}/name", "/lines"}
    assert fill_missing(READ, rules, ExtractedData(data=RIGHT)).data == RIGHT


@pytest.mark.parametrize(("confidence", "is_asked"), [(SURE - 0.01, True), (SURE, False)])
def test_values_below_the_threshold_are_asked(confidence: float, is_asked: bool) -> None:
    rules = ExtractedData(data={"number": "B-2"}, evidence={"/number": stated(confidence)})
    assert ("/number" in find_doubtful(READ, rules)) == is_asked
    assert (fill_missing(READ, rules, ExtractedData(data=RIGHT)).data["number"] == "A-1") == is_asked


@pytest.mark.parametrize(("confidence", "stays"), [(0.97, True), (0.93, True), (0.88, False), (0.4, False)])
def test_value_that_an_asked_model_does_not_find_is_doubted_or_left_out(confidence: float, stays: bool) -> None:
    rules = ExtractedData(data={"number": "B-2"}, evidence={"/number": stated(confidence)})
    told = ExtractedData(data={"lines": RIGHT["lines"]}, evidence={"/lines/0/name": stated(0.8)})
    filled = fill_missing(READ, rules, told)
    assert ("number" in filled.data) == ("/number" in filled.evidence) == stays
    assert filled.missing.get("/number") == (None if stays else Missing.SEVERAL_DISAGREE)
    assert not stays or filled.evidence["/number"].confidence < confidence
    for unknown in (fill_missing(READ, rules, told, complete=False), fill_missing(READ, rules, ExtractedData(data={}))):
        assert unknown.evidence["/number"] == stated(confidence)


def test_value_that_the_model_finds_too_keeps_the_higher_confidence() -> None:
    rules = ExtractedData(data={"number": "A-1"}, evidence={"/number": stated(0.95)})
    told = ExtractedData(data={"number": "A-1"}, evidence={"/number": stated(0.8)})
    assert fill_missing(READ, rules, told).evidence["/number"].confidence == 0.95
