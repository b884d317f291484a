"""Work pages: overview, upload, jobs, one job, dead letters, search."""

from typing import Any

from starlette.responses import Response

from quire.models.cdom.search import is_unrelated
from quire.serve_apps.ui.browser.gateway import ApiRefused
from quire.serve_apps.ui.browser.lookups import find_names, find_waiting
from quire.serve_apps.ui.browser.visit import Visit
from quire.serve_apps.viewer.document_view import ViewPlace
from quire.serve_apps.viewer.hits import show_hits

ACTIVE = ("queued", "running")
STATUSES = ("queued", "running", "succeeded", "partial", "failed", "canceled")
MODES = {"hybrid": "Words and meaning", "fts": "Words", "vector": "Meaning"}
NARROWINGS = ("type", "language", "since", "until", "document_id")
"""Filters of a search, by the API's names."""
_NEWEST, _PER_PAGE, _LETTERS, _HITS = 8, 50, 50, 20
"""Jobs on the overview, rows a page, failed documents listed, hits shown."""
_LOOK_AHEAD = 100  # documents of a job fetched at a time


async def overview(visit: Visit) -> Response:
    """Show pending work, work in progress, the newest jobs and the month's pages."""
    jobs = await visit.api.get("/v1/jobs", limit=_NEWEST)
    waiting, more = await find_waiting(visit, _LOOK_AHEAD)
    letters, more_letters = await visit.api.page("/v1/dead-letters", limit=_LOOK_AHEAD)
    return visit.page(
        "overview.html",
        stats=await visit.api.get("/v1/stats"),
        license=await visit.api.get("/v1/license"),
        waiting=sum(len(document.flags) for document in waiting),
        more_waiting=more is not None,
        documents_waiting=len(waiting),
        letters=len(letters),
        more_letters=more_letters is not None,
        jobs=jobs,
        names=await find_names(visit, jobs),
        live=_are_live(jobs),
        limits=visit.resources.limits,
        active=ACTIVE,
    )


async def show_upload(visit: Visit) -> Response:
    """Show the upload form, with the reason if the last upload was refused."""
    return visit.page("upload.html", limits=visit.resources.limits, problem=visit.query("problem"))


async def list_jobs(visit: Visit) -> Response:
    """List jobs, newest first, optionally by status."""
    status = visit.query("status")
    jobs, more = await visit.api.page("/v1/jobs", status=status, cursor=visit.query("cursor"), limit=_PER_PAGE)
    counts = (await visit.api.get("/v1/stats"))["my_jobs"]
    return visit.page(
        "jobs.html",
        jobs=jobs,
        names=await find_names(visit, jobs),
        more=more,
        later=visit.query("cursor") is not None,
        chosen=status,
        statuses=STATUSES,
        counts=counts,
        live=_are_live(jobs) or any(counts.get(status) for status in ACTIVE),
        active=ACTIVE,
    )


async def show_job(visit: Visit) -> Response:
    """Show a job's documents with their results, errors and progress."""
    job_id = visit.segment("job_id")
    job = await visit.api.get(f"/v1/jobs/{job_id}")
    documents, more = await visit.api.page(f"/v1/jobs/{job_id}/documents", cursor=visit.query("cursor"), limit=200)
    return visit.page(
        "job.html",
        job=job,
        name=(await find_names(visit, [job])).get(job["id"], job["id"]),
        total=sum(job["counts"].values()),
        documents=documents,
        more=more,
        later=visit.query("cursor") is not None,
        live=job["status"] in ACTIVE,
        began=_began(job, documents),
    )


def _began(job: dict[str, Any], documents: list[dict[str, Any]]) -> str:
    """Return the start of the newest work: the submission, or the time a document was read again."""
    again = [document["started_at"] for document in documents if document["run"] > 1 and document["started_at"]]
    return str(min(again) if again else job["created_at"])


async def list_dead_letters(visit: Visit) -> Response:
    """List failed documents, each with advice."""
    letters, more = await visit.api.page("/v1/dead-letters", cursor=visit.query("cursor"), limit=_LETTERS)
    later = visit.query("cursor") is not None
    return visit.page("dead_letters.html", letters=letters, more=more, later=later)


async def search(visit: Visit) -> Response:
    """Show hits with links to their pages and boxes, or a note if no index is configured."""
    text, mode, hits, problem = (visit.query("q") or "").strip(), visit.query("mode") or "hybrid", [], None
    narrowed = {name: (visit.query(name) or "").strip() for name in NARROWINGS}
    filters = {name: value for name, value in narrowed.items() if value}
    if text:
        try:
            hits = await visit.api.get("/v1/search", q=text, mode=mode, limit=_HITS, **filters)
        except ApiRefused as refused:
            problem = refused
    configured = visit.resources.ports.search is not None
    facts: dict[str, Any] = {"text": text, "mode": mode, "modes": MODES, "problem": problem, "narrowed": narrowed}
    return visit.page(
        "search.html", configured=configured, hits=show_hits(hits, _place_of), far=is_unrelated(text, hits), **facts
    )


def _are_live(jobs: list[dict[str, Any]]) -> bool:
    return any(job["status"] in ACTIVE for job in jobs)


def _place_of(hit: dict[str, Any]) -> ViewPlace:
    path = f"jobs/{hit['job_id']}/documents/{hit['document_id']}"
    return ViewPlace(address=f"/ui/{path}", outputs=f"/ui/v1/{path}")
