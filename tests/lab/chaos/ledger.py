"""The client's own record of what it was promised: every 201 and the pages it knows. Kept outside the service."""

import threading
import time
from dataclasses import dataclass, field

import httpx

from tests.lab.chaos.papers import Paper


@dataclass
class Ledger:
    """Documents that were answered with 201: document id → paper. Thread-safe by one lock."""

    base_url: str
    token: str
    accepted: dict[str, Paper] = field(default_factory=dict)
    jobs: list[str] = field(default_factory=list)
    refused: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    def submit(self, papers: list[Paper]) -> bool:
        """Post one batch; True when accepted. A lost answer counts as refused: the service may know more."""
        files = [("files", (paper.name, paper.data, "application/pdf")) for paper in papers]
        try:
            answer = httpx.post(f"{self.base_url}/v1/jobs", files=files, headers={"X-API-Key": self.token}, timeout=60)
        except httpx.HTTPError:
            self.refused += 1
            return False
        if answer.status_code != 201:
            self.refused += 1
            return False
        body = answer.json()
        by_name = {paper.name: paper for paper in papers}
        with self.lock:
            self.jobs.append(body["id"])
            for waiting in body["pending"]:
                self.accepted[waiting["document_id"]] = by_name[waiting["source_file"]]
        return True

    def submit_all(self, papers: list[Paper], *, batch: int, over_s: float) -> None:
        """Post everything in batches spread over `over_s` seconds, each until it is accepted."""
        batches = [papers[i : i + batch] for i in range(0, len(papers), batch)]
        pause = over_s / max(1, len(batches))
        for some in batches:
            while not self.submit(some):
                time.sleep(0.5)
            time.sleep(pause)


@dataclass
class HealthWatch:
    """Asks for liveness without a pause; counts answers that were not 200 and the longest gap between two 200s."""

    base_url: str
    stop: threading.Event = field(default_factory=threading.Event)
    asked: int = 0
    errors_5xx: int = 0
    no_answer: int = 0

    def run(self) -> None:
        with httpx.Client(timeout=5) as client:
            while not self.stop.is_set():
                self.asked += 1
                try:
                    status = client.get(f"{self.base_url}/v1/health").status_code
                    self.errors_5xx += status >= 500
                except httpx.HTTPError:
                    self.no_answer += 1
                time.sleep(0.05)
