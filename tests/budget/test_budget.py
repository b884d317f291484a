"""The numbers of `tests/budget.toml`, the size of each commit since the last release, and the latest subjects."""

import random

import pytest

from tests.budget import measure as budget
from tests.budget.commits import Commit, find_commit_fault, read_commits, read_subjects
from tests.budget.measure import find_faults, is_riddle, lower
from tests.commit_message import find_fault
from tests.test_rooms import ROOT


def test_tree_keeps_to_its_budget() -> None:
    assert list(find_faults(budget.measure(), budget.read_budget())) == []


def test_commits_since_the_release_pay_for_their_size() -> None:
    assert list(filter(None, map(find_commit_fault, read_commits()))) == []


def test_latest_subjects_have_the_usual_form() -> None:
    assert [f"{subject}: {fault}" for subject in read_subjects() if (fault := find_fault(subject))] == []


@pytest.mark.parametrize("seed", range(20))
def test_number_is_judged_by_its_distance_from_the_budget(seed: int) -> None:
    limit = random.Random(seed).randint(100, 200_000)
    slack = int(limit * budget.SLACK)
    for number in (limit, limit - slack):
        assert list(find_faults({"n": number}, {"n": limit})) == []
    assert "delete or merge 1 elsewhere" in next(find_faults({"n": limit + 1}, {"n": limit}))
    assert "--lower" in next(find_faults({"n": limit - slack - 1}, {"n": limit}))


def test_number_without_a_budget_is_reported() -> None:
    assert [fault.split()[0] for fault in find_faults({"a": 1, "b": 1}, {"b": 1, "c": 1})] == ["a", "c"]


@pytest.mark.parametrize("seed", range(20))
def test_lower_writes_numbers_that_satisfy_the_budget_and_never_rise(seed: int) -> None:
    draw = random.Random(seed)
    measured = {"lines_a": draw.randint(1, 200_000), "files": draw.randint(0, 400), "share": draw.random()}
    limits = {name: number * draw.choice((0.5, 1.0, 1.5, 3)) for name, number in measured.items()}
    text = "# numbers\n" + "".join(f"{name} = {limit:.3f}\n" for name, limit in limits.items())
    lowered = budget.read_numbers(lower(text, measured))
    assert all(lowered[name] <= round(limits[name], 3) for name in limits)
    fitting = {name: number for name, number in measured.items() if number <= limits[name] - 0.001}
    assert list(find_faults(fitting, {name: lowered[name] for name in fitting})) == []


def make_commit(message: str, added: int, *, before: int = 5, after: int = 5) -> Commit:
    return Commit("0123abcd", message, added, {"n": before}, {"n": after})


@pytest.mark.parametrize(
    ("commit", "is_refused"),
    [
        (make_commit("a: add", 300), False),
        (make_commit("a: add", 301), True),
        (make_commit("a: add", 301, after=4), False),
        (make_commit("a: add", 301, after=6), True),
        (make_commit("a: add", 1, after=6), True),
        (make_commit("a: add\n\nbudget: the second engine reads scans", 900, after=6), False),
        (make_commit("a: add\n\nthe budget: is large", 900), True),
        (make_commit("a: add\n\nbudget:\n", 900), True),
        (Commit("0123abcd", "a: add", 900, {}, {}), False),
    ],
)
def test_commit_that_grows_the_product_lowers_a_number_or_says_why(commit: Commit, is_refused: bool) -> None:
    assert (find_commit_fault(commit) is not None) is is_refused


def test_lonely_protocols_are_counted_by_the_names_of_methods() -> None:
    reader = "class Reads(Protocol):\n    def read(self): ...\n"
    assert budget.count_lonely_protocols([reader, "class A:\n    def read(self): ...\n"]) == 1
    assert budget.count_lonely_protocols([reader, "class A:\n    def read(self): ...\n", "class B(A): pass\n"]) == 0
    assert budget.count_lonely_protocols(["class Calls(Protocol):\n    def __call__(self): ...\n"]) == 0


def test_circle_between_modules_of_a_package_is_found() -> None:
    table = ROOT / "serve_apps/clients/python/quire_client/documents/table.py"
    assert budget.import_name(table) == "quire_client.documents.table"
    texts = {"quire_client.a": "from quire_client import b", "quire_client.b": "import quire_client.a"}
    assert set(budget.find_circle_in(texts)) == set(texts)


def test_floats_in_functions_are_counted_once() -> None:
    text = "LIMIT = 0.3\ndef f(x=0.5):\n    def g():\n        return x < 0.45 or x > 1.0\n    return g() * 0.1\n"
    assert budget.count_unusual_floats(text) == 2


@pytest.mark.parametrize(
    ("name", "has_form"),
    [
        ("test_claim_returns_none_when_queue_is_empty", True),
        ("test_theta_is_read", True),
        ("test_the_claim_returns_none", False),
        ("test_a_claim_returns_none", False),
        ("test_an_empty_queue_returns_none", False),
        ("test_claim_returns", False),
        ("test_Claim_returns_none", False),
    ],
)
def test_names_are_judged_by_their_form(name: str, has_form: bool) -> None:
    assert is_riddle(name) is not has_form
