"""Deployments of earlier releases open in this version: jobs, trees, decisions and the search index.

`releases/X.Y.Z.tar.gz` holds what the code of that release wrote: a backup (`quire backup`), the folder of its index,
and `facts.json` with what its API answered. `tests/lab/store_release.py` makes such a file for each release.
"""

import hashlib
import json
import shutil
import tarfile
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import lancedb
import psycopg
import pytest
from psycopg.conninfo import make_conninfo

from quire.actors.search.searcher import Searcher
from quire.cluster.postgres.backup import put_back
from quire.cluster.postgres.embedded import EmbeddedPostgres
from quire.configs.parsing import parse_settings
from quire.models.cdom.search import SearchMode, SearchRequest
from quire.models.neural.embed.minilm import WIDTH, MiniLm
from quire.storage.index.opened import IndexPlace, open_search
from quire.storage.postgres.schema import check_schema, migrate
from quire.storage.postgres.service_role import let_service_in
from quire.storage.store import Store, open_store
from tests.api.harness import client_of, make_resources, serving
from tests.api.keys import ring_of
from tests.storage.postgres.catalog import read_catalog

pytestmark = pytest.mark.long

RELEASES = sorted(Path(__file__).with_name("releases").glob("*.tar.gz"))


class Deployment(NamedTuple):
    """A restored and migrated store, the folder of its index, and the facts of the release."""

    dsn: str
    store: Store
    index_folder: Path
    facts: dict[str, Any]


@pytest.fixture(scope="module", params=RELEASES, ids=lambda path: path.name.removesuffix(".tar.gz"))
def deployment(request: pytest.FixtureRequest) -> Iterator[Deployment]:
    folder = Path(tempfile.mkdtemp(prefix="qr", dir="/tmp"))  # short enough for a socket
    folder.chmod(0o711)
    with tarfile.open(request.param) as archive:
        archive.extractall(folder / "release", filter="data")
    workdir = folder / "workdir"
    put_back(parse_settings({}, workdir=workdir), folder / "release" / "backup")
    postgres = EmbeddedPostgres(workdir)
    dsn = postgres.start()
    migrate(dsn)
    store = open_store(dsn, workdir, signing_key=(workdir / "run" / "signing-key").read_bytes())
    try:
        facts = json.loads((folder / "release" / "facts.json").read_text())
        yield Deployment(dsn, store, folder / "release" / "index", facts)
    finally:
        store.close()
        postgres.stop()
        shutil.rmtree(folder, ignore_errors=True)


def test_schema_of_a_release_equals_a_new_one(deployment: Deployment) -> None:
    with psycopg.connect(deployment.dsn, autocommit=True) as connection:
        connection.execute("create database fresh template template0")
    fresh = make_conninfo(deployment.dsn, dbname="fresh")
    migrate(fresh)
    for dsn in (deployment.dsn, fresh):
        let_service_in(dsn, "password")
    assert read_catalog(deployment.dsn) ^ read_catalog(fresh) == set()


async def test_documents_and_trees_of_a_release_are_served_unchanged(
    deployment: Deployment,
) -> None:
    _, store, _, facts = deployment
    check_schema(store.db)
    resources = make_resources(store, keys=ring_of("default=secret"))
    async with serving(resources) as app, client_of(app, "secret") as client:
        job = (await client.get(f"/v1/jobs/{facts['job']}")).json()
        trees = {
            document["source_file"]: await client.get(f"/v1/jobs/{job['id']}/documents/{document['document_id']}/tree")
            for document in job["documents"]
            if document["status"] == "succeeded"
        }
        review = (await client.get(f"/v1/jobs/{job['id']}/review")).json()
    found = [{name: document[name] for name in facts["documents"][0]} for document in job["documents"]]
    assert found == facts["documents"]
    assert {name: hashlib.sha256(tree.content).hexdigest() for name, tree in trees.items()} == facts["trees"]
    waiting = [{name: item[name] for name in facts["reviewed"]} for item in review]
    assert waiting
    assert facts["reviewed"] not in waiting


@pytest.mark.parametrize("mode", list(SearchMode))
def test_index_of_a_release_is_searched(deployment: Deployment, mode: SearchMode) -> None:
    _, store, index, facts = deployment
    place = IndexPlace(uri=str(index), keywords=index / "keywords", width=WIDTH)
    searcher = Searcher(open_search(place, store.db, memory_bytes=1 << 26), MiniLm().embed)
    hits = searcher.search(SearchRequest(tenant="default", org="default", q="cranes lift loads", limit=3, mode=mode))
    harbour = next(document for document in facts["documents"] if document["source_file"] == "harbour.html")
    assert hits
    assert hits[0].document_id == harbour["document_id"]


async def test_chunk_ids_of_a_release_are_kept_or_can_be_computed(deployment: Deployment) -> None:
    """Ids of 0.10.0 have a position and 12 digits of the hash of the text; later ones have 16 digits alone."""
    _, store, index, facts = deployment
    rows = lancedb.connect(index).open_table("chunks").to_arrow().select(["document_id", "chunk_id"]).to_pylist()
    stored = {(row["document_id"], row["chunk_id"]) for row in rows}
    resources = make_resources(store, keys=ring_of("default=secret"))
    served = set()
    async with serving(resources) as app, client_of(app, "secret") as client:
        for document in facts["documents"]:
            if document["status"] == "succeeded":
                address = f"/v1/jobs/{facts['job']}/documents/{document['document_id']}/chunks"
                for chunk in (await client.get(address)).json():
                    served.add((document["document_id"], chunk["id"]))
    assert len(stored) == len(served) == sum(document["chunks"] or 0 for document in facts["documents"])
    if any(not name.startswith("c-") for _, name in stored):
        stored = {(document, f"c-{name.split('-')[1]}") for document, name in stored}
        served = {(document, name[:14]) for document, name in served}
    assert served == stored
