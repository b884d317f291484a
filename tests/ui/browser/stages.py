"""Organisations in which nothing, a little or a great deal has happened, and the pages to look at in each."""

import base64
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from quire.models.cdom.tree import dump_tree
from quire.storage.sources.gate import SourceGate
from quire.storage.store import Store
from tests.api.searching import search_ports
from tests.models.extract.formats.sheets.workbooks import number_cell, sheet, text_cell, workbook
from tests.ui.browser.chromium import Browser
from tests.ui.browser.living import Living, living
from tests.ui.papers import FLAGGER, HELD, read_letter, write_letter, write_report

RECEIVER = "https://93.184.215.14/hooks/quire"
LONG = "2026-05-03 Rahmenliefervertrag mit allen Anlagen, Nachträgen und dem gesamten Schriftwechsel der letzten Jahre_final_v17_WIRKLICH_final (2) – Kopie.pdf"  # noqa: E501
Pages = dict[str, str]


@contextmanager
def staged(store: Store, dsn: str, folder: Path, browser: Browser | None = None) -> Iterator[Living]:
    """A service with search and a place for sources: `folder`/files."""
    (folder / "files").mkdir()
    gate = SourceGate(workdir=store.workdir, root=folder / "files")
    with (
        search_ports(store, folder) as (ports, _),
        living(store, dsn, browser, ports=ports, source_gate=gate, flag_tree=FLAGGER) as service,
    ):
        yield service


def fill_nothing(service: Living) -> Pages:
    """An organisation on its first day."""
    service.org = "first-day"
    return {
        "documents": "/ui",
        "overview": "/ui/overview",
        "upload": "/ui/upload",
        "jobs": "/ui/jobs",
        "jobs-failed": "/ui/jobs?status=failed",
        "inbox": "/ui/review",
        "search": "/ui/search",
        "search-nothing": "/ui/search?q=zebra",
        "dead-letters": "/ui/dead-letters",
        "sources": "/ui/sources",
        "webhooks": "/ui/webhooks",
        "deliveries": "/ui/webhooks/deliveries",
        "targets": "/ui/targets",
        "audit": "/ui/audit",
        "usage": "/ui/usage",
        "access": "/ui/access",
        "refused": "/ui/jobs/none",
    }


def fill_little(service: Living, folder: Path) -> Pages:
    """A job with a letter and a broken file, one under way, a source, a receiver, a target."""
    service.org = "default"
    job = service.send(("letter.pdf", write_letter(1, 5)), ("backup.rar", b"no document"))
    running = service.send(("long.pdf", HELD + b"1"), wait=0.5)
    good, bad = ("succeeded", "failed")
    by_status = {one["status"]: one["document_id"] for one in job["documents"]}
    (folder / "files" / "contracts").mkdir()
    (folder / "files" / "contracts" / "a.pdf").write_bytes(write_letter(7, 1))
    source = service.ask("POST", "sources", json={"path": str(folder / "files" / "contracts"), "name": "Contracts"})
    service.ask("POST", f"sources/{source['id']}/sync")
    hook = service.ask("POST", "webhooks", json={"url": RECEIVER})["id"]
    service.ask("POST", f"webhooks/{hook}/test")
    target = service.ask("POST", "targets", json={"kind": "sink", "name": "Vectors"})["id"]
    service.ask("POST", f"targets/{target}/backfill")
    schema = {"type": "object", "properties": {"total": {"type": "number"}, "order": {"type": "string"}}}
    service.ask("POST", "schemas", json={"name": "letter", "schema": schema})
    letters = [ingest(service, write_letter(number, number - 7), "Complaint about apples.pdf") for number in (9, 10)]
    inspections = ingest_sheet(service)
    first, second = (one["documents"][0]["document_id"] for one in letters)
    here = f"/ui/jobs/{job['id']}"
    return _pages_of(here, f"{here}/documents/{by_status[good]}", hook) | {
        "targets": "/ui/targets",
        "target": f"/ui/targets/{target}",
        "running": f"/ui/jobs/{running['id']}",
        "running-document": f"/ui/jobs/{running['id']}/documents/{running['pending'][0]['document_id']}",
        "sheet": f"{inspections}?tab=blocks",
        "sheet-open": f"{inspections}?tab=blocks&table=b1&sort=3&down=1",
        "target-kinds": "/ui/targets?kind=postgres",
        "source-kinds": "/ui/sources?kind=bucket",
        "extract-values": f"{here}/documents/{by_status[good]}/extract?schema=letter&at=/total",
        "compare": f"/ui/compare?a={first}&b={second}",
        "compare-choose": f"/ui/compare?a={first}",
        "failed": f"{here}/documents/{by_status[bad]}",
        "html-export": f"/ui/v1/jobs/{job['id']}/documents/{by_status[good]}/export/html",
    }


def fill_much(service: Living, folder: Path, jobs: int = 500) -> Pages:
    """Hundreds of jobs, long names, a report of 100 pages with 200 flags, many failures, long lists of everything."""
    service.org = "busy"
    for number in range(jobs - 40):
        service.ask("POST", "jobs", files=[("files", (_name(number), _letter_or_not(number)))])
    batch = [(f"{number:02} {LONG}", write_letter(number, 3)) for number in range(8)]
    job = service.send(*batch, (f"broken {LONG}", b"no document"))
    for number in range(3):
        service.send((f"scan {number}.pdf", HELD + bytes([number])), wait=0.1)
    report = service.send((LONG, write_report()))
    files = folder / "files" / "many"
    files.mkdir()
    for number in range(30):
        (files / f"{number} {LONG}"[:200]).write_bytes(write_letter(100 + number, 0))
    source = service.ask("POST", "sources", json={"path": str(files), "name": LONG[:190], "exclude": ["drafts/*"]})
    service.ask("POST", f"sources/{source['id']}/sync")
    service.ask("POST", "sources", json={"path": str(folder / "files"), "name": "All", "every_minutes": 60})
    hook = service.ask("POST", "webhooks", json={"url": f"{RECEIVER}/{'deep/' * 30}end"})["id"]
    service.ask("POST", "webhooks", json={"url": RECEIVER, "events": ["job.finished", "document.finished"]})
    for _ in range(60):
        service.ask("POST", f"webhooks/{hook}/test")
    for number in range(20):
        ingest(service, write_letter(number, 2), f"{number} {LONG}")
    document = report["documents"][0]["document_id"]
    pages = _pages_of(f"/ui/jobs/{job['id']}", f"/ui/jobs/{report['id']}/documents/{document}", hook)
    return pages | {"older": "/ui/jobs?status=succeeded", "late-page": f"{pages['document']}?page=87&tab=semantics"}


def fill_errors(service: Living, store: Store) -> Pages:
    """Documents that failed, filters without matches, addresses that lead nowhere."""
    service.org = "errors"
    job = service.send(("letter.pdf", write_letter(1, 2)), ("locked.pdf", b"no document"), ("notes.txt", b"\0\1"))
    documents = {one["source_file"]: one["document_id"] for one in job["documents"]}
    with store.db.autocommit() as conn:
        conn.execute("update documents set error = 'encrypted' where id = %s", (documents["locked.pdf"],))
    here = f"/ui/jobs/{job['id']}/documents"
    return {
        "documents": "/ui",
        "filter": "/ui?status=burnt",
        "no-match": "/ui?name=zebra",
        "acted": "/ui?act=delete&done=3&skipped=2",
        "upload": "/ui/upload?problem=The+month+has+no+pages+left.",
        "locked": f"{here}/{documents['locked.pdf']}",
        "wrong-password": f"{here}/{documents['locked.pdf']}?password=wrong",
        "failed": f"{here}/{documents['notes.txt']}",
        "page": f"{here}/{documents['letter.pdf']}?page=99",
        "job": f"/ui/jobs/{job['id']}",
        "nowhere": "/ui/nowhere",
        "compare": "/ui/compare?a=none",
        "search": "/ui/search?q=apples&since=yesterday",
        "extract": f"{here}/{documents['letter.pdf']}/extract?schema=none",
        "webhook": "/ui/webhooks/none",
    }


def ingest(service: Living, data: bytes, name: str) -> dict[str, Any]:
    """A letter as a finished, indexed job with its original."""
    return post_tree(service, dump_tree(read_letter(data)), data, source={"name": name, "format": "pdf"})


def post_tree(service: Living, tree: bytes, data: bytes, **changes: Any) -> dict[str, Any]:
    """A tree with the file it was read from as a finished, indexed job; `changes`: other keys of the tree."""
    body = {"tree": _json(tree) | changes, "source_bytes": base64.b64encode(data).decode()}
    job: dict[str, Any] = service.ask("POST", "ingest", json=body)
    return job


def page_of(job: dict[str, Any]) -> str:
    """Return the address of the page of a job's first document."""
    return f"/ui/jobs/{job['id']}/documents/{job['documents'][0]['document_id']}"


def ingest_sheet(service: Living) -> str:
    """A workbook with two sheets of measurements; return the address of its page."""
    kinds = ("Rope", "Brake lining", "Hook", "Motor")
    rows = ""
    for row in range(3, 43):
        texts = text_cell(f"B{row}", f"Crane {row - 2}") + text_cell(f"C{row}", kinds[row % 4])
        numbers = number_cell(f"D{row}", round(27.9 - row / 10, 1)) + number_cell(f"E{row}", row * 1234.5)
        rows += f'<row r="{row}">{texts}{numbers}</row>'
    names = zip("BCDE", ("Crane", "Part", "Diameter in mm", "Hours"), strict=True)
    head = f'<row r="2">{"".join(text_cell(f"{column}2", name) for column, name in names)}</row>'
    data = workbook(sheet(head + rows), sheet(head))
    source = {"name": "inspections.xlsx", "format": "xlsx"}
    return page_of(post_tree(service, dump_tree(read_letter(data)), data, source=source))


def _pages_of(job: str, document: str, hook: str) -> Pages:
    tabs = ("fields", "semantics", "chunks", "markdown", "html", "details")
    return {
        "documents": "/ui",
        "overview": "/ui/overview",
        "upload": "/ui/upload?problem=The+month+has+no+pages+left.",
        "jobs": "/ui/jobs",
        "job": job,
        "document": document,
        **{f"document-{tab}": f"{document}?tab={tab}" for tab in tabs},
        "document-redacted": f"{document}?redacted=1",
        "inbox": "/ui/review",
        "review": f"{document}/review",
        "extract": f"{document}/extract",
        "search": "/ui/search?q=complaint+answer&mode=fts",
        "dead-letters": "/ui/dead-letters",
        "sources": "/ui/sources",
        "webhooks": "/ui/webhooks",
        "webhook": f"/ui/webhooks/{hook}",
        "deliveries": "/ui/webhooks/deliveries",
        "audit": "/ui/audit?verify=1",
        "usage": "/ui/usage",
        "access": "/ui/access",
    }


def _json(data: bytes) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(data)
    return found


def _name(number: int) -> str:
    return f"{number} {LONG}" if number % 7 == 0 else f"invoice-{number:05}.pdf"


def _letter_or_not(number: int) -> bytes:
    return b"no document" if number % 9 == 0 else write_letter(number, number % 3)
