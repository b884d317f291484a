"""Records, resuming, tables and shards, without Ray."""

import io
import json
from pathlib import Path

import pymupdf
import pytest
from PIL import Image

from cluster.jobs.extract import find_items
from cluster.jobs.finetune import find_trees, load_named_tree
from cluster.jobs.folders import Folder
from cluster.jobs.ledger import (
    Record,
    claim_folder,
    find_undone,
    make_items,
    make_key,
    read_manifest,
    read_records,
    write_record,
    write_tables,
)
from cluster.jobs.reading import ItemReader
from cluster.jobs.shards import write_shards
from models.cdom.original import ReadOptions
from models.neural.fakes import ScriptedRecogniser


def test_names_decide_keys_and_order_whatever_the_order_of_the_listing() -> None:
    one, two = (make_items("/corpus", names) for names in (["b.pdf", "a.pdf", "b.pdf"], ["a.pdf", "b.pdf"]))
    assert one == two
    assert [item.name for item in one] == ["a.pdf", "b.pdf"]
    assert one[0].key == make_key("a.pdf") != one[1].key


def test_a_manifest_names_documents_line_by_line() -> None:
    assert read_manifest('# corpus\na.pdf\n\n{"name": "b/c.pdf", "pages": 3}\n') == ["a.pdf", "b/c.pdf"]
    with pytest.raises(ValueError, match="name"):
        read_manifest('{"file": "x"}')


def test_what_has_a_record_is_done_and_a_broken_record_counts_for_nothing(tmp_path: Path) -> None:
    items, folder = make_items("/corpus", ["a", "b", "c"]), Folder(str(tmp_path))
    write_record(folder, Record(key=items[0].key, name="a", pages=2))
    write_record(folder, Record(key=items[1].key, name="b", error="malformed"))
    (tmp_path / "records/zz").mkdir()
    (tmp_path / "records/zz/torn.json").write_text('{"key": "')
    records = list(read_records(folder))
    assert [item.name for item in find_undone(items, records)] == ["c"]
    assert [item.name for item in find_undone(items, records, again=True)] == ["b", "c"]
    assert write_tables(folder, items) == {
        "documents": 3, "read": 1, "failed": 1, "undone": 1, "pages": 2, "errors": {"malformed": 1},
    }  # fmt: skip
    assert [json.loads(line)["name"] for line in (tmp_path / "manifest.jsonl").read_text().splitlines()] == ["a"]
    assert [json.loads(line)["error"] for line in (tmp_path / "errors.jsonl").read_text().splitlines()] == ["malformed"]


def test_a_folder_holds_one_way_of_reading(tmp_path: Path) -> None:
    folder = Folder(str(tmp_path))
    assert claim_folder(folder, {"options": "x"})
    assert claim_folder(folder, {"options": "x"})
    assert not claim_folder(folder, {"options": "y"})


def test_shards_are_named_by_content_and_written_once(tmp_path: Path) -> None:
    folder, lines = Folder(str(tmp_path)), [f"{number}\n" for number in range(25)]
    shards = write_shards(folder, "train", lines, lines_per_shard=10)
    assert [shard.lines for shard in shards] == [10, 10, 5]
    assert "".join((tmp_path / shard.name).read_text() for shard in shards) == "".join(lines)
    written = {path.name: path.stat().st_mtime_ns for path in tmp_path.glob("train-*")}
    assert write_shards(folder, "train", lines, lines_per_shard=10) == shards
    assert {path.name: path.stat().st_mtime_ns for path in tmp_path.glob("train-*")} == written


def make_corpus(folder: Path) -> None:
    for number in range(3):
        document = pymupdf.open()
        document.new_page().insert_text((72, 72), f"Report number {number} about rivers and bridges.")
        (folder / f"sub{number}").mkdir()
        (folder / f"sub{number}" / "report.pdf").write_bytes(document.tobytes())
    buffer = io.BytesIO()
    Image.new("RGB", (200, 100), "white").save(buffer, "PNG")
    (folder / "scan.png").write_bytes(buffer.getvalue())
    (folder / "broken.pdf").write_bytes(b"%PDF-1.7 nothing")


def test_items_become_outputs_with_the_record_last(tmp_path: Path) -> None:
    corpus, out = tmp_path / "corpus", tmp_path / "out"
    corpus.mkdir()
    make_corpus(corpus)
    items = find_items(str(corpus), None)
    assert [item.name for item in items][:2] == ["broken.pdf", "scan.png"]
    reader = ItemReader(
        str(out), ["tree", "markdown"], ReadOptions(), lambda: ScriptedRecogniser(script={1: ["Hello"]})
    )
    try:
        records = {item.name: reader.read_item(item) for item in items}
        first = {path: path.read_bytes() for path in out.rglob("*") if path.is_file()}
        reader.read_item(items[-1])
    finally:
        reader.close()
    assert {path: path.read_bytes() for path in out.rglob("*") if path.is_file()} == first
    assert records["broken.pdf"].error == "malformed"
    assert (records["scan.png"].error, records["scan.png"].pages) == (None, 1)
    assert len(find_trees(str(out))) == 4
    tree = load_named_tree((out / records["sub0/report.pdf"].outputs[0]).read_bytes())
    assert "rivers" in tree.blocks[0].text
    assert "rivers" in (out / records["sub0/report.pdf"].outputs[1]).read_text()
    assert find_undone(items, read_records(Folder(str(out)))) == []


def test_an_original_that_is_gone_is_an_error_in_the_table(tmp_path: Path) -> None:
    reader = ItemReader(str(tmp_path / "out"), ["tree"], ReadOptions(), ScriptedRecogniser)
    try:
        (item,) = make_items(str(tmp_path), ["gone.pdf"])
        assert reader.read_item(item).error == "original-missing"
    finally:
        reader.close()
