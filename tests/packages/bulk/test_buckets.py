"""The jobs from bucket to bucket: the same outputs as from folder to folder."""

from pathlib import Path

import pytest

from quire.cluster.jobs import finetune_export
from quire.cluster.jobs.work import to_folder
from quire.cluster.jobs.work.corpus import FolderCorpus
from quire.cluster.jobs.work.folders import Folder, open_folder
from quire.cluster.jobs.work.kinds import Shape
from quire.cluster.jobs.work.ledger import find_items
from quire.cluster.jobs.work.to_folder import FolderJob, look_at_folder, read_into_folder
from quire.models.cdom.original import OcrMode
from quire.models.derive.finetune import FinetuneOptions
from tests.packages.bulk.corpora import make_corpus
from tests.packages.bulk.inline import InlineSpread, find_duplicates_here


@pytest.fixture
def spreading(monkeypatch: pytest.MonkeyPatch) -> InlineSpread:
    inline = InlineSpread()
    for module in (finetune_export, to_folder):
        monkeypatch.setattr(module, "spread", inline)
        monkeypatch.setattr(finetune_export, "find_duplicates", find_duplicates_here)
        monkeypatch.setattr(module, "connect", lambda: 2)
    return inline


def content(folder: Folder) -> dict[str, bytes]:
    return {name: folder.read(name) for name, _ in folder.names()}


def test_from_bucket_to_bucket_is_as_from_folder_to_folder(s3: str, tmp_path: Path, spreading: InlineSpread) -> None:
    corpus, source = tmp_path / "corpus", open_folder(f"{s3}/corpus")
    corpus.mkdir()
    make_corpus(corpus)
    for name, data in content(open_folder(str(corpus))).items():
        source.write(name, data)
    results: list[dict[str, bytes]] = []
    for root in (str(tmp_path), s3):
        url, items = find_items(f"{root}/corpus", None)
        assert look_at_folder(f"{root}/trees", items) == {"documents": 5, "to_read": 5}
        job = FolderJob(
            source=url, output=f"{root}/trees", formats=("tree", "markdown"), shape=Shape.FILES, ocr=OcrMode.NEVER,
            redacted=False,
        )  # fmt: skip
        spreading.dies_at = 3
        with pytest.raises(KeyboardInterrupt):
            read_into_folder(job, items, 2, again=False)
        spreading.dies_at = 0
        summary = read_into_folder(job, items, 2, again=False)
        assert (summary["read"], summary["failed"], summary["undone"]) == (4, 1, 0)
        assert look_at_folder(f"{root}/trees", items) == {"documents": 5, "to_read": 0}
        exported = finetune_export.export(
            FolderCorpus(f"{root}/trees"), f"{root}/shards", FinetuneOptions(), workers=2, shard_lines=2
        )
        assert (exported["shards"], exported["lines"]) == (2, 3)
        results.append(content(open_folder(f"{root}/trees")) | content(open_folder(f"{root}/shards")))
    assert results[0] == results[1]


def test_a_bucket_answers_as_a_folder_does(s3: str) -> None:
    folder = open_folder(f"{s3}/x")
    folder.write("a/b.txt", b"one")
    folder.write("a/b.txt", b"two")
    assert list(folder.names("a")) == [("a/b.txt", 3)]
    with folder.open("a/b.txt") as file:
        assert file.read() == b"two"
        assert file.fileno() > 0
    folder.delete("a/b.txt")
    folder.delete("a/b.txt")
    with pytest.raises(FileNotFoundError):
        folder.read("a/b.txt")
