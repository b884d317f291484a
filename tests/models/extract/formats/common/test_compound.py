"""Compound files: streams by path, and chains and trees that are tied to harm."""

import struct

import pytest

from quire.models.cdom.errors import ExtractError, Malformed
from quire.models.extract.formats.common.compound import CompoundFile, read_summary
from tests.models.extract.formats.common.compound_files import SECTOR, compound

STREAMS = {("one",): b"1" * 1000, ("in", "two"): b"2", ("in", "deep", "three"): b"", ("big",): bytes(70_000)}


def test_streams_are_found_by_their_path() -> None:
    file = CompoundFile(compound(STREAMS))
    assert {path: file.read(path) for path in file.paths} == STREAMS
    assert ("in", "deep") in file.storages
    assert file.find("ONE") == ("one",)
    assert file.read(("no",)) == b""


def test_a_chain_that_loops_is_malformed() -> None:
    data = bytearray(compound({("one",): b"1" * 2000}))
    fat = len(data) - SECTOR
    struct.pack_into("<I", data, fat, 0)
    with pytest.raises(Malformed):
        CompoundFile(bytes(data)).read(("one",))


def test_a_directory_tied_in_a_ring_is_read_once() -> None:
    data = bytearray(compound({("one",): b"1", ("two",): b"2"}))
    at = data.find("two".encode("utf-16-le"))
    struct.pack_into("<II", data, at + 68, 1, 1)
    assert set(CompoundFile(bytes(data)).paths) == {("one",), ("two",)}


@pytest.mark.parametrize("size", [0, 8, 511, 600, 1500])
def test_file_cut_off_anywhere_ends_in_error_with_code(size: int) -> None:
    with pytest.raises(ExtractError):
        CompoundFile(compound(STREAMS)[:size]).read(("one",))


def test_the_summary_is_the_metadata() -> None:
    values = [(2, struct.pack("<II", 0x1E, 6) + b"Title\0"), (12, struct.pack("<IQ", 0x40, 132_223_104_000_000_000))]
    at = 8 + 8 * len(values)
    places, body = b"", b""
    for number, value in values:
        places += struct.pack("<II", number, at + len(body))
        body += value
    stream = bytes(44) + struct.pack("<I", 48) + struct.pack("<II", at + len(body), len(values)) + places + body
    summary = read_summary(CompoundFile(compound({("\x05SummaryInformation",): stream})))
    assert (summary.title, summary.created) == ("Title", "2020-01-01T00:00:00+00:00")
    assert read_summary(CompoundFile(compound({("\x05SummaryInformation",): stream[:70]}))).title is None
