"""Archives: members are listed and handed over, and archives that mean harm."""

import pytest

from models.cdom.errors import Encrypted, Malformed, ResourceLimit
from models.cdom.original import ReadOptions
from models.extract.formats.archive import open_zip
from models.extract.formats.flow.document import MAX_EMBEDDED
from tests.models.extract.flow_trees import read_tree, texts, zipped


def test_members_are_listed_and_handed_over() -> None:
    data = zipped({"a/b.txt": "one", "c.csv": "x;y", "__MACOSX/._c": "no", "empty.txt": ""})
    tree = read_tree(data)
    assert (tree.source.format, texts(tree)) == ("zip", ["a/b.txt", "c.csv", "empty.txt"])
    found = open_zip(data, ReadOptions()).embedded
    assert [(one.path, one.name, one.data) for one in found] == [
        ("a/b.txt", "b.txt", b"one"),
        ("c.csv", "c.csv", b"x;y"),
    ]


@pytest.mark.parametrize("name", ["../up.txt", "/etc/passwd", "C:\\x.txt", "a\\..\\b"])
def test_names_that_lead_out_are_malformed(name: str) -> None:
    with pytest.raises(Malformed):
        read_tree(zipped({name: "x", "plain.txt": "y"}))


def test_a_member_under_a_password_is_encrypted() -> None:
    data = bytearray(zipped({"a.txt": "one"}))
    at = data.find(b"PK\x01\x02")
    data[at + 8] |= 1
    with pytest.raises(Encrypted):
        read_tree(bytes(data))


def test_too_many_members_and_members_that_unpack_to_too_much_are_limits() -> None:
    with pytest.raises(ResourceLimit):
        read_tree(zipped({f"{at}.txt": "x" for at in range(MAX_EMBEDDED + 1)}))
    with pytest.raises(ResourceLimit):
        read_tree(zipped({"bomb.txt": b"\0" * 30_000_000}))


def test_two_members_of_one_name_are_malformed() -> None:
    data = zipped({"aa.txt": "1", "ab.txt": "2"}).replace(b"ab.txt", b"aa.txt")
    with pytest.raises(Malformed):
        read_tree(data)
