"""Fine-tune exports of a whole corpus: the endpoint's bytes, the same again, resumed, and nothing of what is gone."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pymupdf
import pytest

from quire.cluster.jobs import finetune_export
from quire.cluster.jobs.finetune_export import export
from quire.cluster.jobs.work.corpus import CorpusDocument, FolderCorpus, ServiceCorpus, cut_groups
from quire.models.cdom.original import ReadOptions
from quire.models.cdom.tree import dump_tree
from quire.models.derive.finetune import FinetuneOptions, Split, Style
from quire.models.pii.errors import PiiIncomplete
from quire.serve_apps.api.documents.ingested import read_tree
from quire.storage.jobs.bulk import take_documents
from quire.storage.jobs.jobs import list_jobs
from quire.storage.jobs.lifecycle import delete_document
from quire.storage.store import Store
from quire.storage.values.rows import Scope
from tests.api.harness import TREE as SENT
from tests.api.harness import client_of, make_resources, serving
from tests.packages.bulk.corpora import make_corpus
from tests.packages.bulk.inline import InlineSpread, find_duplicates_here, make_service, publish_folder
from tests.packages.bulk.test_bulk_store import a_document
from tests.packages.bulk.test_pipeline import opened, whole
from tests.storage.scenes import ACME, ACTOR, UNLIMITED

pytestmark = pytest.mark.long

OPTIONS = [
    ({"style": "chat"}, FinetuneOptions(style=Style.CHAT)),
    ({"style": "raw", "dedup": "true"}, FinetuneOptions(style=Style.RAW, dedup=True)),
    ({"min_chars": "40", "language": "en"}, FinetuneOptions(min_chars=40, language="en")),
    ({"split": "val", "val_ratio": "0.5"}, FinetuneOptions(split=Split.VAL, val_ratio=0.5)),
]


@pytest.fixture
def spreading(monkeypatch: pytest.MonkeyPatch) -> InlineSpread:
    inline = InlineSpread()
    monkeypatch.setattr(finetune_export, "spread", inline)
    monkeypatch.setattr(finetune_export, "find_duplicates", find_duplicates_here)
    monkeypatch.setattr(finetune_export, "connect", lambda: 2)
    monkeypatch.setattr(finetune_export, "MEAN", 2)
    return inline


@pytest.fixture
def service_corpus(store: Store, dsn: str, tmp_path: Path) -> ServiceCorpus:
    """Six letters in two jobs, one of them twice; another organisation has one too."""
    corpus = tmp_path / "corpus"
    corpus.mkdir()
    for number in range(6):
        document = pymupdf.open()
        lines = [f"Letter {number % 5} about rivers and bridges.", "It was written by ann@example.org to nobody."]
        document.new_page().insert_text((72, 72), lines)
        (corpus / f"{number}.pdf").write_bytes(document.tobytes())
    publish_folder(store, corpus, per_job=4)
    publish_folder(store, corpus, scope=Scope(tenant="acme", org="other"))
    return ServiceCorpus(service=make_service(store, dsn), scope=ACME)


def joined(out: Path) -> bytes:
    return b"".join(path.read_bytes() for path in sorted(out.glob("*-*.jsonl")))


def run(corpus: Any, out: Path, options: FinetuneOptions = FinetuneOptions(), shard_lines: int = 3) -> dict[str, Any]:
    return export(corpus, str(out), options, workers=2, shard_lines=shard_lines)


async def test_shards_of_a_job_equal_its_endpoint(
    store: Store, service_corpus: ServiceCorpus, tmp_path: Path, spreading: InlineSpread
) -> None:
    first, second = (job.id for job in reversed(list_jobs(store, ACME).items))
    async with serving(make_resources(store)) as app, client_of(app) as client:
        for number, (params, options) in enumerate(OPTIONS):
            for redacted in (False, True):
                asked = params | {"redacted": str(redacted).lower()}
                answer = await client.get(f"/v1/jobs/{first}/export/finetune", params=asked)
                assert answer.status_code == 200
                corpus = ServiceCorpus(
                    service=service_corpus.service, scope=ACME, job_id=first, redacted=redacted, run=str(number)
                )
                out = tmp_path / f"out{number}{redacted}"
                run(corpus, out, options, shard_lines=2)
                assert joined(out) == answer.content
                assert (b"ann@" in answer.content) == (not redacted and bool(answer.content))
        everything = tmp_path / "everything"
        summary = run(service_corpus, everything)
        assert summary == {"documents": 6, "shards": 2, "lines": 6}
        both = [(await client.get(f"/v1/jobs/{job}/export/finetune?redacted=false")).content for job in (first, second)]
        assert joined(everything) == b"".join(both)


def test_killed_export_continues_and_ends_with_the_same_bytes(
    store: Store, service_corpus: ServiceCorpus, tmp_path: Path, spreading: InlineSpread
) -> None:
    parts = finetune_export.plan_parts(service_corpus, FinetuneOptions())
    assert 2 <= len(parts) <= 6
    spreading.dies_at = len(parts)
    with pytest.raises(KeyboardInterrupt):
        run(service_corpus, tmp_path / "killed")
    assert not (tmp_path / "killed/shards.json").exists()
    spreading.dies_at = 0
    run(service_corpus, tmp_path / "killed")
    assert spreading.rows == 1
    run(service_corpus, tmp_path / "whole")
    killed, undisturbed = (
        {path.relative_to(out): path.read_bytes() for path in sorted(out.rglob("*")) if path.is_file()}
        for out in (tmp_path / "killed", tmp_path / "whole")
    )
    assert killed == undisturbed
    assert {str(path) for path in undisturbed} > {"shards.json", "summary.json"}


def test_a_document_deleted_between_kill_and_resumption_is_not_exported(
    store: Store, service_corpus: ServiceCorpus, tmp_path: Path, spreading: InlineSpread
) -> None:
    spreading.dies_at = len(finetune_export.plan_parts(service_corpus, FinetuneOptions()))
    with pytest.raises(KeyboardInterrupt):
        run(service_corpus, tmp_path)
    spreading.dies_at = 0
    gone = service_corpus.documents()[-1]
    delete_document(store.db, ACME, ACTOR, gone.name)
    assert run(service_corpus, tmp_path, FinetuneOptions(style=Style.RAW))["documents"] == 5
    assert gone.name.encode() not in joined(tmp_path)


def test_a_smaller_corpus_leaves_no_shard_of_the_larger_one(
    store: Store, service_corpus: ServiceCorpus, tmp_path: Path, spreading: InlineSpread
) -> None:
    run(service_corpus, tmp_path, shard_lines=2)
    for document in service_corpus.documents()[1:]:
        delete_document(store.db, ACME, ACTOR, document.name)
    assert run(service_corpus, tmp_path, shard_lines=2)["shards"] == 1
    assert len(list(tmp_path.glob("all-*.jsonl"))) == 1
    assert joined(tmp_path).count(b"\n") == 1


def test_an_unfinished_scan_stops_a_redacted_export(
    store: Store, dsn: str, tmp_path: Path, spreading: InlineSpread
) -> None:

    document = a_document(store, "x.pdf", error="later")
    unscanned = dump_tree(read_tree(SENT, ReadOptions()).tree)
    manifest = store.artifacts.put(document.id, 1, {"tree.json": unscanned})
    take_documents(store, ACME, ACTOR, [replace(document, error=None, manifest=manifest)], quota=UNLIMITED)
    corpus = ServiceCorpus(service=make_service(store, dsn), scope=ACME, redacted=True)
    with pytest.raises(PiiIncomplete):
        run(corpus, tmp_path)
    assert joined(tmp_path) == b""


def test_export_of_folder_skips_files_that_are_not_trees(tmp_path: Path, spreading: InlineSpread) -> None:
    corpus, out = tmp_path / "corpus", tmp_path / "trees"
    corpus.mkdir()
    make_corpus(corpus)
    with opened(corpus, out) as read:
        read(whole(corpus))
    (out / "tree/zz").mkdir()
    (out / "tree/zz/broken.json").write_text('{"source": {}}')
    summary = run(FolderCorpus(str(out)), tmp_path / "shards", FinetuneOptions(style=Style.RAW))
    assert summary["documents"] == 5
    assert joined(tmp_path / "shards").count(b"rivers") == 3


def test_one_document_more_or_less_changes_one_group() -> None:
    documents = [CorpusDocument(f"doc_{number}", "1") for number in range(1000)]
    groups = list(cut_groups(documents, 8, 32))
    assert [document for group in groups for document in group] == documents
    assert max(map(len, groups)) <= 32
    assert 60 < len(groups) < 260
    fewer = list(cut_groups(documents[:500] + documents[501:], 8, 10**6))
    more = list(cut_groups(documents, 8, 10**6))
    assert len([group for group in fewer if group not in more]) == 1
