"""`python -m quire.cluster.dist.statements FOLDER`: parts and origin of a release.

Writes next to the wheels in FOLDER: `quire.cdx.json`, a bill of materials in CycloneDX with version, licence and hashes of
every locked dependency; `provenance.json`, an in-toto statement with the commit and the hash of every file; and
`SHA256SUMS`. With an SSH key in the environment variable `QUIRE_RELEASE_KEY` it signs the sums (`SHA256SUMS.sig`).
"""

import hashlib
import json
import os
import re
import subprocess
import sys
import uuid
from collections.abc import Iterable, Iterator, Sequence
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path
from typing import Any

from quire.models.cdom.version import SERVICE_VERSION

ROOT = Path(__file__).resolve().parents[2]
LOCKS = tuple(ROOT / "configs" / "locks" / f"{name}.lock" for name in ("run", "sql", "targets"))
"""Locks of what the release runs with; dependencies of the GPU tier are stated by its image."""
BILL, PROVENANCE, SUMS = "quire.cdx.json", "provenance.json", "SHA256SUMS"
KEY = "QUIRE_RELEASE_KEY"
_PIN = re.compile(r"^([\w.-]+)(?:\[[^]]*\])?==([^\s;\\]+)[^\n]*((?:\n +--hash=sha256:[0-9a-f]{64}[ \\]*)*)", re.MULTILINE)
_UNKNOWN: list[dict[str, Any]] = [{"license": {"name": "not stated by the package"}}]
_HASH = re.compile(r"sha256:([0-9a-f]{64})")


def main(arguments: list[str]) -> int:
    """Write the statements about the files of FOLDER (default `dist`)."""
    folder = Path(arguments[0] if arguments else "dist")
    bill = json.dumps(make_bill(LOCKS), indent=1, sort_keys=True)
    (folder / BILL).write_text(bill + "\n")
    built = [path for path in sorted(folder.iterdir()) if path.name not in (PROVENANCE, SUMS, f"{SUMS}.sig")]
    (folder / PROVENANCE).write_text(json.dumps(make_provenance(built), indent=1, sort_keys=True) + "\n")
    lines = [f"{_sha256(path)}  {path.name}\n" for path in (*built, folder / PROVENANCE)]
    (folder / SUMS).write_text("".join(lines))
    if key := os.environ.get(KEY):
        subprocess.run(["ssh-keygen", "-Y", "sign", "-q", "-f", key, "-n", "quire", folder / SUMS], check=True)
    print(f"{folder}: {len(lines)} files, {'signed' if key else f'not signed ({KEY} is not set)'}")
    return 0


def make_bill(locks: Iterable[Path]) -> dict[str, Any]:
    """Return the bill of materials of the pinned packages, equal for equal locks and installed packages.

    The licence is that of the installed version, and not known for a package that is not installed here.
    """
    components = {part["bom-ref"]: part for lock in locks for part in _components(lock.read_text())}
    listed = [components[name] for name in sorted(components)]
    content = json.dumps(listed, sort_keys=True)
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, content)}",
        "version": 1,
        "metadata": {"component": _component("quire", SERVICE_VERSION, _licences(distribution("quire")))},
        "components": listed,
    }


def make_provenance(files: Iterable[Path]) -> dict[str, Any]:
    """Return an in-toto statement that names the commit and the locks that `files` were built from."""
    commit = _git("rev-parse", "HEAD")
    inputs = [{"uri": path.relative_to(ROOT).as_posix(), "digest": {"sha256": _sha256(path)}} for path in LOCKS]
    return {
        "_type": "https://in-toto.io/Statement/v1",
        "subject": [{"name": path.name, "digest": {"sha256": _sha256(path)}} for path in files],
        "predicateType": "https://slsa.dev/provenance/v1",
        "predicate": {
            "buildDefinition": {
                "buildType": "make dist",
                "externalParameters": {"version": SERVICE_VERSION, "changed": bool(_git("status", "--porcelain"))},
                "resolvedDependencies": [{"uri": "git+.", "digest": {"gitCommit": commit}}, *inputs],
            },
            "runDetails": {"builder": {"id": f"cpython-{sys.version_info.major}.{sys.version_info.minor}"}},
        },
    }


def _components(lock: str) -> Iterator[dict[str, Any]]:
    for name, version, hashes in _PIN.findall(lock):
        try:
            licences = _licences(distribution(name))
        except PackageNotFoundError:  # of another platform
            licences = _UNKNOWN
        yield _component(name, version, licences, sorted(_HASH.findall(hashes)))


def _component(name: str, version: str, licences: list[dict[str, Any]], hashes: Sequence[str] = ()) -> dict[str, Any]:
    name = re.sub(r"[-_.]+", "-", name).lower()
    address = f"pkg:pypi/{name}@{version}"
    made: dict[str, Any] = {"type": "library" if hashes else "application", "bom-ref": address, "name": name}
    made |= {"version": version, "purl": address, "licenses": licences}
    if hashes:  # one file for each platform
        made["properties"] = [{"name": "quire:sha256", "value": value} for value in hashes]
    return made


def _licences(installed: Distribution) -> list[dict[str, Any]]:
    """Return the licence by SPDX expression, else by classifiers, else by the first line that names it."""
    facts = installed.metadata
    if "License-Expression" in facts:
        return [{"expression": facts["License-Expression"]}]
    classifiers = [line.rpartition(" :: ")[2] for line in facts.get_all("Classifier") or () if line.startswith("License")]
    names = [name for name in classifiers if name != "OSI Approved"]
    if not names and "License" in facts and (text := facts["License"].strip()):
        names = [text.splitlines()[0]]
    return [{"license": {"name": name}} for name in names] or _UNKNOWN


def _sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _git(*arguments: str) -> str:
    return subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
