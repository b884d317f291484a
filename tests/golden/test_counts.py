"""Reading takes at most the recorded work, in counts that are the same at any load."""

from tests.golden.counts import COUNTED, choose_documents, count_work, load_record
from tests.golden.trees import FOLDER

_ROOM = 1.02
"""Factor by which a count may exceed the record: versions of Python differ by less."""


def test_reading_takes_no_more_calls_than_recorded() -> None:
    recorded = load_record()
    counted = count_work(choose_documents())
    assert counted.keys() == recorded.keys()
    risen = {name: (recorded[name], count) for name, count in counted.items() if count > _ROOM * recorded[name]}
    assert not risen, f"{risen}: see tests/golden/counts.py"


def test_counted_functions_of_the_reader_exist() -> None:
    places = [place.split(":") for functions in COUNTED.values() for place in functions if place.startswith("models/")]
    assert places
    assert all(f"def {name}(" in (FOLDER.parents[1] / file).read_text() for file, name in places)
