"""Compare the locked dependencies with the public advisories: `python -m tests.security.audit [FOLDER] [--strict]`.

Asks osv.dev for every pinned package of configs/locks/*.lock, or looks into FOLDER: a folder or zip of osv.dev's files
for PyPI. Without a network and without FOLDER it prints that the audit was skipped. With `--strict` it exits with 1
when an advisory names a pinned version.
"""

import json
import re
import sys
import urllib.request
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from packaging.utils import canonicalize_name
from packaging.version import Version

LOCKS = sorted((Path(__file__).resolve().parents[2] / "configs/locks").glob("*.lock"))
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


def find_stored_advisories(pins: list[tuple[str, str]], place: Path) -> dict[str, list[str]]:
    """Return package → ids of its advisories in a folder or zip of files. Raises `OSError` and `ValueError`."""
    found: dict[str, list[str]] = {}
    versions: dict[str, set[str]] = {}
    for name, version in pins:
        versions.setdefault(canonicalize_name(name), set()).add(version)
    for text in _read_files(place):
        advisory = json.loads(text)
        for affected in () if "withdrawn" in advisory else advisory.get("affected", ()):
            package = affected.get("package", {})
            name = canonicalize_name(package.get("name", ""))
            for version in versions.get(name, ()) if package.get("ecosystem") == "PyPI" else ():
                if version in affected.get("versions", ()) or _in_ranges(version, affected.get("ranges", ())):
                    found.setdefault(f"{name} {version}", []).append(advisory["id"])
    return {package: sorted(set(ids)) for package, ids in sorted(found.items())}


def _read_files(place: Path) -> Iterator[str]:
    if place.is_dir():
        yield from (path.read_text() for path in sorted(place.rglob("*.json")))
        return
    with zipfile.ZipFile(place) as archive:
        yield from (archive.read(name).decode() for name in sorted(archive.namelist()) if name.endswith(".json"))


def _in_ranges(version: str, ranges: list[dict[str, Any]]) -> bool:
    """Return whether a version lies between an introduction and its fix."""
    for each in ranges:
        is_affected = False
        for event in each.get("events", ()) if each.get("type") == "ECOSYSTEM" else ():
            ((kind, bound),) = event.items()
            reached = bound == "0" or Version(version) >= Version(bound)
            if kind == "introduced" and reached:
                is_affected = True
            elif (kind == "fixed" and reached) or (kind == "last_affected" and Version(version) > Version(bound)):
                is_affected = False
        if is_affected:
            return True
    return False


def main(arguments: list[str]) -> int:
    """Print the advisories and return the exit status."""
    strict, places = "--strict" in arguments, [Path(each) for each in arguments if each != "--strict"]
    pins = sorted({pin for lock in LOCKS for pin in read_pins(lock.read_text())})
    try:
        advisories = find_stored_advisories(pins, places[0]) if places else find_advisories(pins)
    except (OSError, ValueError, KeyError) as error:
        if places:
            raise
        print(f"dependency audit skipped: no answer from osv.dev ({type(error).__name__})")
        return 0
    for package, ids in advisories.items():
        print(f"{package}: {', '.join(ids)}")
    print(f"dependency audit: {len(pins)} packages, {len(advisories)} with advisories")
    return 1 if strict and advisories else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
