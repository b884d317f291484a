"""`make conformance`: every row of the interface against a running service; a table, exit 1 when a row fails.

`python -m tests.conformance BASE_URL TOKEN_FILE`; what it makes it deletes.
"""

import asyncio
import sys
from pathlib import Path

import httpx

from tests.conformance.rows import ROWS, Check, Probe

TIMEOUT_S = 180.0  # seconds for one answer: a first document on a busy machine


async def run(base_url: str, token: str) -> int:
    """How many rows fail."""
    failed = 0
    async with httpx.AsyncClient(base_url=base_url, headers={"X-API-Key": token}, timeout=TIMEOUT_S) as http:
        probe = Probe(http)
        for section, what, check in ROWS:
            verdict = await judge(probe, check)
            failed += verdict != "works"
            print(f"{section:14} {what:64} {verdict}")
        if probe.job:
            await http.delete(f"/v1/jobs/{probe.job['id']}")
    print(f"{len(ROWS) - failed} of {len(ROWS)} rows work")
    return failed


async def judge(probe: Probe, check: Check) -> str:
    """`works`, or why not, in one line."""
    try:
        await check(probe)
    except Exception as error:
        return f"FAILS: {type(error).__name__} {' '.join(str(error).split())[:120]}"
    return "works"


if __name__ == "__main__":
    sys.exit(bool(asyncio.run(run(sys.argv[1], Path(sys.argv[2]).read_text().strip()))))
