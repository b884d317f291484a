"""Measures sealing and verifying one organisation's chain: python -m tests.lab.bench.bench_audit [rows]."""

import json
import os
import sys
import time

from quire.storage.access.audit import seal, verify
from quire.storage.postgres.database import Database
from quire.storage.values.rows import Scope
from tests.postgres import test_server

ROUNDS = 3


def main(rows: int) -> dict[str, object]:
    """Print wall clock and CPU seconds of this process, and the load average."""
    with test_server() as server, server.database() as dsn:
        db = Database(dsn)
        with db.transaction() as conn:
            conn.execute(
                """insert into audit (tenant, org, actor, action, object, request_id, result)
                   select 'acme', 'default', 'acme:write', 'job.submitted', md5(i::text), md5((i + 1)::text), 'ok'
                   from generate_series(1, %s) as i""",
                (rows,),
            )
        began = time.perf_counter()
        while seal(db):
            pass
        sealed_s = time.perf_counter() - began
        verified = [_verify(db) for _ in range(ROUNDS)]
        db.close()
    return {
        "rows": rows,
        "seal_s": round(sealed_s, 2),
        "verify_s": sorted(round(wall, 2) for wall, _ in verified),
        "verify_cpu_s": sorted(round(cpu, 2) for _, cpu in verified),
        "load": [round(number, 1) for number in os.getloadavg()],
    }


def _verify(db: Database) -> tuple[float, float]:
    wall, cpu = time.perf_counter(), time.process_time()
    if verify(db, Scope(tenant="acme")) is not None:
        raise AssertionError("a whole chain was taken for a broken one")
    return time.perf_counter() - wall, time.process_time() - cpu


if __name__ == "__main__":
    print(json.dumps(main(int(sys.argv[1]) if len(sys.argv) > 1 else 100_000)))
