"""Inputs of the learned weights: documents and scans; the cards name the shipped files."""

import hashlib
import json
from pathlib import Path

import pytest

from quire.models.extract.document import confidence, levels
from quire.models.extract.formats.pdf.engine import pymupdf
from quire.models.extract.layout.headings import decide
from tests.lab.training.confidence import find_documents
from tests.lab.training.confidence_truth import read_content
from tests.lab.training.scans import scan_document
from tests.lab.training.sources import WORD_FILES, find_named_sources, find_sources
from tests.models.extract.formats.pdf.paper import Paper

LEARNED = [*levels.WEIGHTS.values(), *confidence.WEIGHTS.values(), decide.WEIGHTS]


@pytest.mark.parametrize("weights", LEARNED, ids=lambda path: path.stem)
def test_model_card_names_the_weights(weights: Path) -> None:
    card = weights.with_name("CARD.md").read_text("utf-8")
    assert f"| `{weights.name}` | {hashlib.sha256(weights.read_bytes()).hexdigest()} |" in card


def make_source(home: Path, count: int = 5, folder: str = "pdfs", ending: str = ".pdf") -> None:
    for name in (folder, "gt"):
        (home / name).mkdir(parents=True)
    for number in range(count):
        (home / folder / f"{number}{ending}").write_bytes(b"")
        (home / "gt" / f"{number}.md").write_text(f"# Part {number}\n")


def test_blind_sources_and_non_commercial_texts_are_never_learned_from(tmp_path: Path) -> None:
    make_source(tmp_path / "makers", 7)
    stated = [{"id": str(at), "sources": [["book", "CC BY-NC-SA 3.0" if at < 2 else "CC BY 4.0"]]} for at in range(7)]
    (tmp_path / "makers" / "meta.jsonl").write_text("\n".join(map(json.dumps, stated)))
    make_source(tmp_path / "blind" / "kept")
    make_source(tmp_path / "few", 4)
    (source,) = find_sources(tmp_path)
    assert (source.name, [path.stem for path in source.originals]) == ("makers", ["2", "3", "4", "5", "6"])
    assert find_named_sources([tmp_path], "kept,few") == []
    assert {one.path.stem for one in find_documents(tmp_path)} == {"2", "3", "4", "5", "6"}


def test_word_files_are_a_source_and_are_not_scanned(tmp_path: Path) -> None:
    make_source(tmp_path / "letters", folder="files", ending=".docx")
    make_source(tmp_path / "makers")
    assert [source.name for source in find_sources(tmp_path, WORD_FILES)] == ["letters"]
    documents = list(find_documents(tmp_path))
    assert [(one.source, one.path.stem) for one in documents if one.scan] == [("scans", "0")]
    assert sum(one.source == "letters" for one in documents) == 5


def test_the_truth_of_a_document_is_every_file_of_it(tmp_path: Path) -> None:
    for folder in ("gt", "gt_tables"):
        (tmp_path / folder).mkdir()
    cell = {"row": 0, "col": 0, "rowspan": 1, "colspan": 2, "text": "Net &"}
    (tmp_path / "gt_tables" / "a.json").write_text(json.dumps([{"page": 1, "cells": [cell]}]))
    alone = read_content(tmp_path, "a")
    assert (alone.text, alone.heads, alone.tables) == (None, frozenset(), [{(0, 0): "net", (0, 1): "net"}])
    (tmp_path / "gt" / "a.html").write_text("<h2>The <i>Fee</i></h2><p>R&amp;D 7</p><table><tr><td>x</td></tr></table>")
    both = read_content(tmp_path, "a")
    assert both.heads == {"thefee"}
    assert both.text is not None
    assert both.text.startswith("thefeerd7")
    assert both.tables == [{(0, 0): "x"}, {(0, 0): "net", (0, 1): "net"}]


def test_a_document_is_scanned_the_same_way_each_time(tmp_path: Path) -> None:
    paper = Paper()
    paper.prose(60, 80, 6)
    paper.new_page().new_page()
    data = paper.file.tobytes()
    first = [page_pixels(scan_document(data, "one")) for _ in range(2)]
    assert first[0] == first[1]
    assert first[0] != page_pixels(scan_document(data, "other"))
    with pymupdf.open(stream=scan_document(data, "one"), filetype="pdf") as scans:
        assert len(scans) == 2
        assert not scans[0].get_text().strip()


def page_pixels(scans: bytes) -> bytes:
    with pymupdf.open(stream=scans, filetype="pdf") as document:
        return bytes(document[0].get_pixmap(dpi=72).samples)
