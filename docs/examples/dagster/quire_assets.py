"""Two assets: the documents of a folder in Quire, and a table of their passages as a JSON Lines file."""

import json
import os
from pathlib import Path

from dagster import Definitions, MaterializeResult, asset
from quire_client import Client

FOLDER = os.environ.get("QUIRE_FOLDER", "papers")
PASSAGES = os.environ.get("QUIRE_PASSAGES", "passages.jsonl")


@asset
def documents() -> list[dict[str, str]]:
    """Documents that were read, each with the job that it belongs to."""
    with Client() as quire:  # reads QUIRE_URL and QUIRE_TOKEN
        report = quire.ingest_folder(FOLDER)
    return [{"job_id": one["job_id"], "document_id": one["document_id"]} for one in report.succeeded]


@asset
def passages(documents: list[dict[str, str]]) -> MaterializeResult:
    """Passages of all documents, one per line."""
    count = 0
    with Client() as quire, Path(PASSAGES).open("w") as file:
        for one in documents:
            for chunk in quire.get_chunks(one["job_id"], one["document_id"]):
                file.write(json.dumps({**chunk, "document_id": one["document_id"]}) + "\n")
                count += 1
    return MaterializeResult(metadata={"documents": len(documents), "passages": count})


definitions = Definitions(assets=[documents, passages])
