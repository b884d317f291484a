"""`python -m tests.lab.store_release [CHECKOUT]`: store a deployment of a release for the upgrade tests.

Starts the service of CHECKOUT (default: this one) with its own `.venv`, has it read four documents, approves one
flag, and packs a backup, the index and what the API answered as tests/cluster/postgres/releases/X.Y.Z.tar.gz.
SVC_PORT sets the port.
"""

import hashlib
import json
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import tomllib
from pathlib import Path
from typing import Any

import httpx

from tests.waiting import until

ROOT = Path(__file__).resolve().parents[2]
RELEASES = ROOT / "tests" / "cluster" / "postgres" / "releases"
DOCUMENTS = {
    "harbour.html": b"<html><body><h1>Harbour rules</h1><p>Cranes lift loads of at most 12 t. Contact "
    b"ann.lee@example.com.</p><table><tr><th>Crane</th><th>Load</th></tr><tr><td>North</td><td>12 t</td></tr></table>"
    b"</body></html>",
    "berth.eml": b"From: ann@example.com\nTo: bob@example.com\nSubject: Berth plan\n"
    b"Content-Type: text/plain; charset=utf-8\n\nThe berth plan changes on Monday.\n",
    "broken.pdf": b"%PDF-1.4 broken",
    "quire-sample.pdf": (ROOT / "docs" / "sample" / "quire-sample.pdf").read_bytes(),
}
FIELDS = ("document_id", "source_file", "status", "error", "chunks")
END_S = 300.0  # seconds in which the documents must have ended


def store_release(checkout: Path) -> Path:
    """Return the archive of the release in `checkout`."""
    version = tomllib.loads((checkout / "pyproject.toml").read_text())["project"]["version"]
    folder = Path(tempfile.mkdtemp(prefix="quire-release-", dir="/tmp"))  # short enough for a socket
    folder.chmod(0o711)
    workdir, release = folder / "workdir", folder / "release"
    release.mkdir()
    environment = os.environ | {"SVC_WORKDIR": str(workdir), "SVC_RAG_DB": str(folder / "index")}

    def run(*arguments: str | Path) -> None:
        subprocess.run([checkout / ".venv" / "bin" / "quire", *arguments], cwd=checkout, env=environment, check=True)

    try:
        run("up", "--detach")
        try:
            runtime = json.loads((workdir / "run" / "runtime.json").read_text())
            headers = {"X-API-Key": (workdir / "token").read_text().strip()}
            with httpx.Client(base_url=runtime["base_url"], headers=headers, timeout=120) as client:
                (release / "facts.json").write_text(json.dumps(fill(client), indent=1))
            run("backup", release / "backup")
        finally:
            run("down")
        shutil.copytree(folder / "index", release / "index")
        archive = RELEASES / f"{version}.tar.gz"
        with tarfile.open(archive, "w:gz") as packed:
            packed.add(release, ".")
        return archive
    finally:
        shutil.rmtree(folder)


def fill(client: httpx.Client) -> dict[str, Any]:
    """Have the documents read and one flag approved; return what later versions must answer."""
    job = client.post("/v1/jobs", files=[("files", document) for document in DOCUMENTS.items()]).raise_for_status()
    url = f"/v1/jobs/{job.json()['id']}"
    assert until(lambda: client.get(url).json()["finished_at"] is not None, END_S)
    ended = client.get(url).json()
    item = client.get(f"{url}/review").raise_for_status().json()[0]
    place = f"{url}/documents/{item['document_id']}/blocks/{item['block_id']}/review"
    client.post(place, json={"flag": item["flag"], "decision": "approved"}).raise_for_status()
    return {
        "job": ended["id"],
        "documents": [{name: document[name] for name in FIELDS} for document in ended["documents"]],
        "trees": {
            document["source_file"]: hashlib.sha256(
                client.get(f"{url}/documents/{document['document_id']}/tree").raise_for_status().content
            ).hexdigest()
            for document in ended["documents"]
            if document["status"] == "succeeded"
        },
        "reviewed": {name: item[name] for name in ("document_id", "block_id", "flag")},
    }


if __name__ == "__main__":
    print(store_release(Path(sys.argv[1]).resolve() if sys.argv[1:] else ROOT))
