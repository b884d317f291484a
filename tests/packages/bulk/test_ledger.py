"""Plans, records and tables, without Ray."""

import json
from pathlib import Path

import pytest

from quire.cluster.jobs.work.blocks import block_size, cut_by_bytes, dump_block, load_block
from quire.cluster.jobs.work.folders import open_folder
from quire.cluster.jobs.work.ledger import (
    Record,
    WorkBlock,
    WorkItem,
    claim_folder,
    find_undone,
    make_items,
    make_key,
    place_by_name,
    read_manifest,
    read_plans,
    read_records,
    write_records,
    write_tables,
)
from quire.cluster.jobs.work.shards import write_shards
from quire.cluster.jobs.work.to_folder import plan_work


def test_names_decide_keys_and_sizes_decide_the_order() -> None:
    one, two = (make_items((name, 5) for name in names) for names in (["b.pdf", "a.pdf", "b.pdf"], ["a.pdf", "b.pdf"]))
    assert one == two
    assert [item.name for item in one] == ["a.pdf", "b.pdf"]
    assert one[0].key == make_key("a.pdf") != one[1].key
    assert [item.name for item in make_items([("a", 1), ("b", 9), ("c", 3)])] == ["b", "c", "a"]


def test_a_manifest_names_documents_line_by_line() -> None:
    assert read_manifest('# corpus\na.pdf\n\n{"name": "b/c.pdf", "pages": 3}\n') == ["a.pdf", "b/c.pdf"]
    with pytest.raises(ValueError, match="name"):
        read_manifest('{"file": "x"}')


def test_block_is_carried_with_names_of_invalid_text() -> None:
    block = WorkBlock("0001-0000000", (WorkItem(name="a\udcff.pdf", key=make_key("a\udcff.pdf"), bytes=3),))
    text = dump_block(block)
    assert text.isascii()
    assert load_block(text) == block


def test_blocks_are_small_for_few_documents_and_bounded_for_many() -> None:
    assert [block_size(count, 2, 64) for count in (1, 63, 640, 10_000, 10**6)] == [1, 1, 10, 64, 64]


@pytest.mark.parametrize("name", ["a.pdf", "2026/März/a b.pdf", "x.tree/.hidden", "tree/a"])
def test_output_is_named_by_the_path_of_its_document(name: str) -> None:
    assert place_by_name("markdown", name, "k" * 32, ".md") == f"markdown/{name}.md"


@pytest.mark.parametrize(
    "name",
    ["../a", "/etc/a", "a/../b", "a//b", "./a", "a\x00", "a\nb", "a\\b", "\udcff", "x" * 240, "_by-key/kk/a", "a.MD/b",
     ".quire-partial-1", ""],
)  # fmt: skip
def test_unsafe_path_is_replaced_by_the_key(name: str) -> None:
    assert place_by_name("markdown", name, "k" * 32, ".md") == f"markdown/_by-key/kk/{'k' * 32}.md"


def test_blocks_end_by_documents_and_by_bytes() -> None:
    items = make_items([("a", 90), ("b", 60), ("c", 30), ("d", 20), ("e", 10), ("f", 5)])
    assert [[item.name for item in block] for block in cut_by_bytes(items, 3, 80)] == [
        ["a"],
        ["b", "c"],
        ["d", "e", "f"],
    ]
    assert cut_by_bytes([], 3, 80) == []


def record(item: WorkItem, error: str | None = None) -> Record:
    return Record(key=item.key, name=item.name, pages=0 if error else 2, error=error)


def test_later_documents_get_a_new_plan(tmp_path: Path) -> None:
    folder = open_folder(str(tmp_path))
    items = make_items((name, 1) for name in "abcde")
    blocks = plan_work(folder, items, 2, again=False)
    assert [[item.name for item in block.items] for block in blocks] == [["a", "b"], ["c", "d"], ["e"]]
    write_records(folder, blocks[1], [record(blocks[1].items[0]), record(blocks[1].items[1], "malformed")])
    more = make_items((name, 1) for name in "abcdef")
    left = plan_work(folder, more, 4, again=False)
    assert [block.name for block in left] == [blocks[0].name, blocks[2].name, "0002-0000000"]
    assert [item.name for item in left[-1].items] == ["f"]
    assert plan_work(folder, more, 1, again=False) == left
    assert write_tables(folder, more) == {
        "documents": 6, "read": 1, "failed": 1, "undone": 4, "pages": 2, "errors": {"malformed": 1},
    }  # fmt: skip
    assert [json.loads(line)["name"] for line in (tmp_path / "manifest.jsonl").read_text().splitlines()] == ["c"]
    assert [json.loads(line)["error"] for line in (tmp_path / "errors.jsonl").read_text().splitlines()] == ["malformed"]


def test_failed_ones_are_read_again_when_asked_and_the_newer_record_counts(tmp_path: Path) -> None:
    folder, items = open_folder(str(tmp_path)), make_items([("a", 1), ("b", 1)])
    (block,) = plan_work(folder, items, 2, again=False)
    write_records(folder, block, [record(items[0]), record(items[1], "timeout")])
    assert plan_work(folder, items, 2, again=False) == []
    (again,) = plan_work(folder, items, 2, again=True)
    assert again.items == (items[1],)
    write_records(folder, again, [record(items[1])])
    assert read_records(folder)[items[1].key].error is None
    assert plan_work(folder, items, 2, again=True) == []


def test_a_document_that_left_the_corpus_is_a_block_entry_without_a_name(tmp_path: Path) -> None:
    folder, items = open_folder(str(tmp_path)), make_items([("a", 1), ("b", 1)])
    plan_work(folder, items, 2, again=False)
    (block,) = find_undone(folder, read_plans(folder), items[:1])
    assert [item.name for item in block.items] == ["a", ""]


def test_a_folder_holds_one_way_of_reading(tmp_path: Path) -> None:
    folder = open_folder(str(tmp_path))
    assert claim_folder(folder, {"options": "x"})
    assert claim_folder(folder, {"options": "x"})
    assert not claim_folder(folder, {"options": "y"})


def test_shards_are_named_by_content_and_written_once(tmp_path: Path) -> None:
    folder, lines = open_folder(str(tmp_path)), [f"{number}\n" for number in range(25)]
    shards = write_shards(folder, "train", lines, lines_per_shard=10)
    assert [shard.lines for shard in shards] == [10, 10, 5]
    assert "".join((tmp_path / shard.name).read_text() for shard in shards) == "".join(lines)
    written = {path.name: path.stat().st_mtime_ns for path in tmp_path.glob("train-*")}
    assert write_shards(folder, "train", lines, lines_per_shard=10) == shards
    assert {path.name: path.stat().st_mtime_ns for path in tmp_path.glob("train-*")} == written
