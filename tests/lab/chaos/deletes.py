"""`python -m tests.lab.chaos.deletes`. Delete means gone: looks for canaries in every byte a service keeps.

Documents carry a canary each in text, file name and job metadata. They are deleted, the database is vacuumed, and one
minute later no byte below the workdir (database, logs, temporary files, Ray's folders) may hold one.
"""

import io
import json
import shutil
import sys
import tempfile
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path
from secrets import token_hex
from typing import Any

import httpx
import psycopg
import pymupdf

from tests.lab.chaos.service import Service, start, stop

GONE_S = 60
CHUNK = 1 << 22


def main() -> int:
    workdir = Path(tempfile.mkdtemp(prefix="qc", dir="/tmp"))
    workdir.chmod(0o711)
    service = start(workdir, int(sys.argv[1]) if len(sys.argv) > 1 else 18390)
    try:
        found = look_after_delete(service)
    finally:
        stop(service)
        shutil.rmtree(workdir, ignore_errors=True)
    print(json.dumps(found, indent=1))
    return 1 if found["left"] else 0


def look_after_delete(service: Service) -> dict[str, Any]:
    """Count planted canaries, their places before the delete, and the places that still hold them."""
    canaries = [f"canary{token_hex(12)}" for _ in range(9)]
    with httpx.Client(base_url=service.base_url, headers={"X-API-Key": service.token}, timeout=120) as client:
        jobs = [_submit(client, canaries[at : at + 3]) for at in range(0, len(canaries), 3)]
        before = sum(1 for _ in find(service.workdir, canaries))
        for job in jobs:
            assert client.delete(f"/v1/jobs/{job}").status_code == 204
    time.sleep(GONE_S - 10)
    with psycopg.connect(service.dsn, autocommit=True) as connection:
        connection.execute("vacuum full")
        connection.execute("checkpoint")
    time.sleep(10)
    return {"planted": len(canaries), "places_before": before, "left": sorted(set(find(service.workdir, canaries)))}


def _submit(client: httpx.Client, canaries: list[str]) -> str:
    """A job of a born-digital and a scanned document and a Word file; canaries in text, name and metadata."""
    text, name, metadata = canaries
    files = [
        ("files", (f"{name}-{number}.bin", content, "application/octet-stream"))
        for number, content in enumerate((_paper(text), _paper(text, scanned=True), _word(text)))
    ]
    answer = client.post("/v1/jobs?wait=110", files=files, data={"metadata": json.dumps({"note": metadata})})
    assert answer.status_code == 201, answer.text
    job = str(answer.json()["id"])
    while client.get(f"/v1/jobs/{job}").json()["status"] in {"queued", "running"}:
        time.sleep(0.5)
    for document in client.get(f"/v1/jobs/{job}").json()["documents"]:
        path = f"/v1/jobs/{job}/documents/{document['document_id']}"
        for view in ("tree", "chunks", "fields", "pages/1", "export/markdown"):
            client.get(f"{path}/{view}")
    client.post("/v1/compare", files=files[:2])
    return job


def _paper(text: str, *, scanned: bool = False) -> bytes:
    document = pymupdf.open()
    page = document.new_page()
    page.insert_text((40, 120), text, fontsize=18)
    if not scanned:
        return bytes(document.tobytes())
    shown = pymupdf.open()
    sheet = shown.new_page()
    sheet.insert_image(sheet.rect, stream=page.get_pixmap(dpi=150).tobytes("jpeg"))
    return bytes(shown.tobytes())


def _word(text: str) -> bytes:
    from docx import Document

    document, buffer = Document(), io.BytesIO()
    document.add_paragraph(text)
    document.save(buffer)
    assert zipfile.is_zipfile(buffer)
    return buffer.getvalue()


def find(workdir: Path, canaries: list[str]) -> Iterator[str]:
    """Files below the workdir that hold one, with their paths."""
    wanted = [canary.encode() for canary in canaries]
    for path in workdir.rglob("*"):
        if path.is_file() and not path.is_symlink() and _holds(path, wanted):
            yield str(path.relative_to(workdir))


def _holds(path: Path, wanted: list[bytes]) -> bool:
    tail = b""
    try:
        with path.open("rb") as file:
            while part := file.read(CHUNK):
                data = tail + part
                if any(canary in data for canary in wanted):
                    return True
                tail = data[-64:]
    except OSError:
        return False
    return False


if __name__ == "__main__":
    sys.exit(main())
