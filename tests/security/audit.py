"""Compare the locked dependencies with the public advisories: `python -m tests.security.audit [--strict]`.

Asks osv.dev for every pinned package of configs/locks/run.lock. Without a network it prints that the audit was skipped.
With `--strict` it exits with 1 when an advisory names a pinned version.
"""

import json
import re
import sys
import urllib.request
from pathlib import Path

LOCK = Path(__file__).resolve().parents[2] / "configs/locks/run.lock"
SERVICE = "https://api.osv.dev/v1/querybatch"
TIMEOUT_S = 20
_PINNED = re.compile(r"^([A-Za-z0-9_.-]+)(?:\[[^]]*\])?==([^\s;\\]+)", re.MULTILINE)


def read_pins(text: str) -> list[tuple[str, str]]:
    """Return the (name, version) pairs of a lock file."""
    return _PINNED.findall(text)


def find_advisories(pins: list[tuple[str, str]]) -> dict[str, list[str]]:
    """Return package → ids of its advisories. Raises `OSError` without a network."""
    queries = [{"package": {"name": name, "ecosystem": "PyPI"}, "version": version} for name, version in pins]
    request = urllib.request.Request(SERVICE, json.dumps({"queries": queries}).encode())
    with urllib.request.urlopen(request, timeout=TIMEOUT_S) as answer:
        results = json.load(answer)["results"]
    found = {
        f"{name} {version}": [advisory["id"] for advisory in result.get("vulns", ())]
        for (name, version), result in zip(pins, results, strict=True)
    }
    return {package: ids for package, ids in found.items() if ids}


def main(strict: bool) -> int:
    """Print the advisories and return the exit status."""
    pins = read_pins(LOCK.read_text())
    try:
        advisories = find_advisories(pins)
    except (OSError, ValueError, KeyError) as error:
        print(f"dependency audit skipped: no answer from osv.dev ({type(error).__name__})")
        return 0
    for package, ids in advisories.items():
        print(f"{package}: {', '.join(ids)}")
    print(f"dependency audit: {len(pins)} packages, {len(advisories)} with advisories")
    return 1 if strict and advisories else 0


if __name__ == "__main__":
    sys.exit(main("--strict" in sys.argv))
