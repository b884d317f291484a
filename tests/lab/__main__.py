"""Run long work by name: `python -m tests.lab bench|drill NAME [ARGUMENTS]`. Without a name, list the names.

`make bench SUITE=NAME ARGS=…` and `make drill NAME=NAME ARGS=…` call this. Arguments go to the program, whose first
lines explain them.
"""

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BENCHES = {
    "accounts": "bench.reading.bench_accounts",
    "audit": "bench.bench_audit",
    "bidi": "bench.reading.bench_bidi",
    "budget": "bench.reading.bench_budget",
    "bulk": "bench.reading.bench_bulk",
    "bulk-vlm": "bench.reading.bench_bulk_vlm",
    "claim": "bench.queue.bench_claim",
    "console": "bench.bench_console",
    "derive": "bench.reading.bench_derive",
    "documents": "bench.listing.bench_documents",
    "door": "bench.door.bench_door",
    "face": "bench.listing.bench_face",
    "fairness": "bench.queue.bench_fairness",
    "false-flags": "bench.redaction.bench_false_flags",
    "first-values": "bench.listing.bench_first_values",
    "garbled": "bench.reading.bench_garbled",
    "gpu": "bench.reading.bench_vlm",
    "index-size": "bench.search.bench_index_size",
    "lanes": "bench.door.bench_lanes",
    "metrics": "bench.bench_metrics",
    "mutation": "bench.mutation",
    "ocr": "bench.reading.bench_ocr",
    "order": "bench.reading.bench_order",
    "purge": "bench.search.bench_purge",
    "quality": "bench.reading.bench_quality",
    "queue": "bench.queue.bench_queue",
    "redaction": "bench.redaction.bench_redaction",
    "sandbox": "bench.bench_sandbox",
    "schema": "bench.schema.bench_schema",
    "search": "bench.search.bench_search",
    "search-service": "bench.search.bench_search_service",
    "service": "bench.bench_service",
    "simulate": "sim.report",
    "small": "bench.bench_small",
    "soak": "bench.soak",
    "speed": "bench.reading.bench_speed",
    "sql": "bench.bench_sql",
    "sync": "bench.bench_sync",
    "visible": "bench.reading.bench_visible",
}
DRILLS = {
    "canaries": "chaos.canaries",
    "canary-formats": "chaos.attacks.canaries",
    "conformance": "conformance.__main__",
    "cluster": "chaos.commands.cluster",
    "deletes": "chaos.deletes",
    "disk": "chaos.database.full_disk",
    "failover": "chaos.database.failover",
    "head": "chaos.head",
    "hostile": "chaos.attacks.hostile",
    "interrupts": "chaos.commands.interrupts",
    "kills": "chaos.run",
    "night": "chaos.commands.night",
    "nodes": "chaos.nodes",
    "postgres": "chaos.database.version",
    "targets": "chaos.targets",
    "unsynced": "chaos.commands.unsynced",
    "upgrade": "chaos.database.upgrade",
    "webhooks": "chaos.webhooks",
}


def list_names(programs: dict[str, str]) -> str:
    """Return a line per name with the first line of its program."""
    lines = []
    for name, module in programs.items():
        spec = find_spec(f"tests.lab.{module}")
        place = Path(spec.origin or "") if spec else Path()
        lines.append(f"  {name:16}{place.read_text().splitlines()[0].strip(chr(34))}")
    return "\n".join(lines)


def main(arguments: list[str]) -> int:
    """Run the named program; exit status 2 for an unknown name, else the program's."""
    kinds = {"bench": BENCHES, "drill": DRILLS}
    kind, name, *rest = [*arguments, "", ""][: max(2, len(arguments))]
    programs = kinds.get(kind, {})
    if name not in programs:
        print(f"{kind} {name} is not known; known are:\n{list_names(programs)}" if name else list_names(programs))
        return 2 if name else 0
    command = [sys.executable, "-m", f"tests.lab.{programs[name]}", *rest]
    return subprocess.run(command, cwd=ROOT, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
