"""Archives: members are listed and handed over, and archives that mean harm."""

import pytest

from quire.models.cdom.errors import Encrypted, ResourceLimit
from quire.models.cdom.original import ReadOptions
from quire.models.extract.formats.archive import open_zip
from quire.models.extract.formats.flow.document import MAX_EMBEDDED
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


@pytest.mark.parametrize("name", ["../up.txt", "C:\\x.txt", "a\\..\\b"])
def test_members_with_paths_outside_the_archive_get_a_warning(name: str) -> None:
    data = zipped({name: "x", "plain.txt": "y"})
    tree = read_tree(data)
    assert texts(tree) == ["plain.txt"]
    assert [warning.code for warning in tree.warnings] == ["member-left-out"]
    assert [one.path for one in open_zip(data, ReadOptions()).embedded] == ["plain.txt"]


@pytest.mark.parametrize(("name", "path"), [("dir\\b.txt", "dir/b.txt"), ("/etc/passwd", "etc/passwd")])
def test_backslashes_and_leading_slashes_are_read_as_folders(name: str, path: str) -> None:
    data = zipped({name: "x"})
    assert texts(read_tree(data)) == [path]
    assert [(one.path, one.data) for one in open_zip(data, ReadOptions()).embedded] == [(path, b"x")]


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


def test_second_member_of_one_name_is_left_out_with_a_warning() -> None:
    data = zipped({"aa.txt": "1", "ab.txt": "2"}).replace(b"ab.txt", b"aa.txt")
    tree = read_tree(data)
    assert texts(tree) == ["aa.txt"]
    assert [warning.code for warning in tree.warnings] == ["member-left-out"]
    assert [one.data for one in open_zip(data, ReadOptions()).embedded] == [b"1"]
