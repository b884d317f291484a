"""`make conformance`: every row of the interface against a running service; a table, exit 1 when a row fails.

`python -m tests.lab.conformance` starts a separate service with all doors open; `… BASE_URL TOKEN_FILE` tests a running
one. It deletes its documents. On the service's own machine it makes keys of three callers (`quire keys add`) and ends
them; a row that cannot run states its reason.
"""

import asyncio
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4

import httpx

from tests.lab.conformance.own_service import own_service
from tests.lab.conformance.probe import Check, NotRun, Probe
from tests.lab.conformance.rows import ROWS

TIMEOUT_S = 180.0  # seconds for one answer: a first document on a busy machine
KEYS_WATCH_S = 3.0  # seconds until every replica knows a new key, told or not
LABELS = {"read": "default:read", "write": "default:write", "foreign": f"conformance-{uuid4().hex[:12]}"}


async def run(base_url: str, token_file: Path) -> int:
    """Return the number of failing rows."""
    counts = {"works": 0, "not run": 0, "FAILS": 0}
    headers = {"X-API-Key": token_file.read_text().strip()}
    with borrowing(token_file.parent) as key_of, tempfile.TemporaryDirectory() as folder:
        async with httpx.AsyncClient(base_url=base_url, headers=headers, timeout=TIMEOUT_S) as http:
            probe = Probe(http, key_of=key_of, folder=Path(folder), workdir=token_file.parent)
            for section, what, check in ROWS:
                verdict = await judge(probe, check)
                counts[verdict.partition(":")[0]] += 1
                print(f"{section:14} {what:90} {verdict}", flush=True)
            await forget(probe)
    print(f"{len(ROWS)} rows: {counts['works']} work, {counts['not run']} not run, {counts['FAILS']} fail")
    return counts["FAILS"]


async def judge(probe: Probe, check: Check) -> str:
    """`works`, `not run: …` or `FAILS: …`, in one line."""
    try:
        await check(probe)
    except NotRun as missing:
        return f"not run: {missing}"
    except Exception as error:
        return f"FAILS: {type(error).__name__} {' '.join(str(error).split())[:160]}"
    return "works"


async def forget(probe: Probe) -> None:
    """Deletes what the rows left."""
    kept = [probe.job, probe.made, *(probe.kept.get(name, {}) for name in ("partial", "failed"))]
    for job in (*kept, {"id": probe.kept.get("job")}):
        if job.get("id"):
            await probe.http.delete(f"/v1/jobs/{job['id']}")


@contextmanager
def borrowing(workdir: Path) -> Iterator[Callable[[str], str | None]]:
    """Secrets of other callers by name, made through the command line when they are first asked for: keys of a second
    tenant change what sources may be. None where this is not the service's machine."""
    keys: dict[str, str] = {}

    def key_of(name: str) -> str | None:
        if name not in keys:
            done = quire("keys", "add", LABELS[name], "--workdir", str(workdir))
            if done.returncode:
                return None
            keys[name] = done.stdout.strip()
            time.sleep(KEYS_WATCH_S)
        return keys[name]

    try:
        yield key_of
    finally:
        for name in keys:
            quire("keys", "revoke", LABELS[name], "--workdir", str(workdir))


def quire(*arguments: str) -> subprocess.CompletedProcess[str]:
    """The command line of this checkout."""
    command = [sys.executable, "-m", "quire.cluster.cli.main", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def main(arguments: list[str]) -> int:
    """Return the number of failing rows, at the named service or at a separate one."""
    if arguments:
        return asyncio.run(run(arguments[0], Path(arguments[1])))
    with own_service() as (base_url, workdir):
        return asyncio.run(run(base_url, workdir / "token"))


if __name__ == "__main__":
    sys.exit(bool(main(sys.argv[1:])))
