"""`python -m tests.packages.clients.uploads.live`: uploads of six real clients to a service behind each proxy.

Clients: curl, Python http.client and requests, Node, Java HttpClient, Go. Every upload must end with the status of its
case, and the health must be answered after each, and while 100 half-sent uploads are open.
"""

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from tests.e2e.service import service_up
from tests.packages.clients.uploads.cases import (
    IN_PROCESS,
    LIMIT_MB,
    PROGRAMS,
    Case,
    all_cases,
    answers_health,
    half_sent,
    write_bodies,
)

HALF_SENT = 100


def main() -> int:
    """Return 0 if every upload ended as it should, 1 otherwise, 2 if a client is missing."""
    missing = [name for name in ("curl", "node", "java", "go") if shutil.which(name) is None]
    if missing:
        print(f"uploads were NOT tested, because these clients are missing: {', '.join(missing)}", file=sys.stderr)
        return 2
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        bodies = write_bodies(Path(folder))
        for proxy in ("ray", "haproxy"):
            with service_up(
                range(18600, 18700), SVC_PROXY=proxy, SVC_WORKERS="0", SVC_MAX_UPLOAD_MB=str(LIMIT_MB)
            ) as service:
                wrong += check(proxy, service.client.base_url, service.client.token, bodies)
    return 1 if wrong else 0


def check(proxy: str, base_url: str, key: str, bodies: dict[str, Path]) -> int:
    """Send every case with every client, print those that ended otherwise, and return their number."""
    cases, wrong = list(all_cases(base_url, key, bodies)), 0
    for client in [*IN_PROCESS, *PROGRAMS]:
        bad = 0
        for case, result in zip(cases, run(client, cases), strict=True):
            if not answers_health(base_url):
                result += ", and then no health"
            if result not in case.statuses | faults_of(client, case):
                bad += 1
                print(f"  {proxy}, {client}: {case.name}: {result} instead of {'/'.join(case.statuses)}")
        print(f"{proxy}, {client}: {len(cases) - bad} of {len(cases)} uploads ended as they should", flush=True)
        wrong += bad
    opened = half_sent(base_url, key, HALF_SENT)
    healthy = sum(answers_health(base_url) for _ in range(20))
    for connection in opened:
        connection.close()
    print(f"{proxy}: {healthy} of 20 health requests answered beside {HALF_SENT} half-sent uploads", flush=True)
    return wrong + 20 - healthy


def faults_of(client: str, case: Case) -> set[str]:
    """Return results that are the fault of a client: it behaves alike towards a server of ten lines.

    Java 17 may wait for ever if a server refuses an expectation. curl 7.88 does not end an empty body in chunks after
    `100 Continue`, so the service answers 408.
    """
    if client == "Java HttpClient" and "expect" in case.mode and "201" not in case.statuses:
        return {"hangs"}
    if client == "curl" and case.file.name == "nothing" and case.mode == "expect,chunked":
        return {"408"}
    return set()


def run(client: str, cases: list[Case]) -> Iterator[str]:
    """Yield the result of each case."""
    if client in IN_PROCESS:
        yield from map(IN_PROCESS[client], cases)
        return
    with subprocess.Popen(PROGRAMS[client], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as program:
        assert program.stdin is not None
        assert program.stdout is not None
        for case in cases:
            program.stdin.write(case.line + "\n")
            program.stdin.flush()
            yield program.stdout.readline().strip()


if __name__ == "__main__":
    sys.exit(main())
