"""`python -m quire.cluster.dist.release [X.Y.Z]`: make a release, or verify that this checkout is one.

`pyproject.toml` states the version; the installed metadata is what the code reads. Files that cannot read it (client
packages, image tags, recorded answers) repeat it, and this check keeps them equal. A release is committed and tagged
here, and nothing is pushed.
"""

import json
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from quire.cluster.dist.statements import SUMS
from quire.models.cdom.version import READER_VERSION, read_service_version

ROOT = Path(__file__).resolve().parents[2]
VERSIONS = "tests/golden/reader_versions.json"
NUMBER = r"\d+\.\d+\.\d+"
_PLACES = {
    "pyproject.toml": rf'^version = "({NUMBER})"',
    "configs/images/docker-bake.hcl": rf'default = "({NUMBER})"',
    "configs/ray/two-pools.yaml": rf"image: quire:({NUMBER})",
    "compose.yaml": rf"image: quire:({NUMBER})",
    "configs/chart/Chart.yaml": rf"^(?:version|appVersion): ({NUMBER})",
    "configs/kuberay/rayservice.yaml": rf"image: quire:({NUMBER})",
    "serve_apps/clients/python/quire_client/version.py": rf'VERSION = "({NUMBER})"',
    "serve_apps/clients/typescript/package.json": rf'^  "version": "({NUMBER})"',
    "serve_apps/clients/typescript/package-lock.json": rf'^(?:  |      )"version": "({NUMBER})",(?=\n +"(?:lockfile|license))',
    "serve_apps/clients/langchain/pyproject.toml": rf'^version = "({NUMBER})"',
    "serve_apps/clients/llama_index/pyproject.toml": rf'^version = "({NUMBER})"',
    "serve_apps/console/pyproject.toml": rf'(?:^version = "|"quire==)({NUMBER})"',
    "serve_apps/compat/pyproject.toml": rf'(?:^version = "|"quire==)({NUMBER})"',
    "models/rare_formats/pyproject.toml": rf'(?:^version = "|"quire==)({NUMBER})"',
    "cluster/jobs/pyproject.toml": rf'(?:^version = "|"quire(?:-gpu)?==)({NUMBER})"',
    "actors/vlm/pyproject.toml": rf'(?:^version = "|"quire==)({NUMBER})"',
    "serve_apps/clients/haystack/pyproject.toml": rf'^version = "({NUMBER})"',
    "serve_apps/api/examples.json": rf'"(?:service_version": |engine": |status": "ok",\n +"version": )"({NUMBER})"',
    "tests/configs/chart/default.yaml": rf'(?:version: "|quire[-:])({NUMBER})',
    "tests/configs/chart/own.yaml": rf'(?:version: "|quire-)({NUMBER})',
}
"""File -> pattern whose first group is the version; every match must agree."""
STORED = "tests/cluster/postgres/releases"
"""Folder of the deployments that later versions must open, one archive for each release."""


def read_project_version() -> str:
    """Return the version in `pyproject.toml`."""
    return str(tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"])


def find_faults(version: str) -> Iterator[str]:
    """Yield a sentence for each thing that keeps `version` from being released."""
    if read_service_version() != version:
        yield f"the installed package is {read_service_version()}: run `pip install --no-deps -e .`"
    yield from _find_other_versions(version)
    yield from _find_changelog_faults(version, (ROOT / "CHANGELOG.md").read_text())
    yield from _find_tree_faults()
    if not (ROOT / STORED / f"{version}.tar.gz").exists():
        yield f"{STORED} has no deployment of this version: run `python -m tests.lab.store_release`"
    if _git("status", "--porcelain"):
        yield "the working tree has uncommitted changes"
    if f"v{version}" not in _git("tag", "--points-at", "HEAD").split():
        yield f"HEAD has no tag: git tag -a v{version} -m 'Quire {version}'"
    if not list((ROOT / "dist").glob(f"quire-{version}-*.whl")):
        yield "dist/ has no wheel of this version: run `make dist`"
    elif not (ROOT / "dist" / SUMS).exists():
        yield "dist/ has no statements: run `python -m quire.cluster.dist.statements`"


def make_release(version: str) -> None:
    """Bump, check, test, build the wheels, store a deployment, commit, tag and state what was built.

    The tag is signed if git has a `user.signingkey`.

    Raises:
        SystemExit: The working tree has changes, or the changelog no entries.
        CalledProcessError: A step failed. Before the commit, `git restore .` undoes all.
    """
    if _git("status", "--porcelain"):
        raise SystemExit("the working tree has uncommitted changes")
    bump(version)
    changelog = ROOT / "CHANGELOG.md"
    changelog.write_text(date_changelog(version, changelog.read_text()))
    shutil.rmtree(ROOT / "quire.egg-info", ignore_errors=True)  # states an older version to programs that run here
    pip = (sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-build-isolation", "-e", ".")
    for command in (
        pip,
        ("make", "check", "test", "test-packages", "dist"),
        (sys.executable, "-m", "tests.lab.store_release"),
        ("git", "add", "--all"),
        ("git", "commit", "--quiet", "--message", f"release: {version}"),
        ("git", "tag", "--sign" if _git_setting("user.signingkey") else "--annotate", f"v{version}", "-m", f"Quire {version}"),
        (sys.executable, "-m", "quire.cluster.dist.statements"),
    ):
        subprocess.run(command, cwd=ROOT, check=True)


def date_changelog(version: str, text: str) -> str:
    """Return the changelog with the entries under Unreleased in a section of `version`."""
    head, title, entries = text.partition("## [Unreleased]\n")
    if not entries.partition("\n## ")[0].strip():
        raise SystemExit("CHANGELOG.md has no entries under Unreleased")
    return f"{head}{title}\n## [{version}] - {datetime.now(UTC):%Y-%m-%d}\n{entries}"


def bump(version: str) -> None:
    """Write `version` into every place that repeats it, and note that this release has the present reader version."""
    record = json.loads((ROOT / VERSIONS).read_text())
    (ROOT / VERSIONS).write_text(json.dumps(record | {"released": READER_VERSION}, indent=1) + "\n")
    for name, pattern in _PLACES.items():
        path = ROOT / name
        text = path.read_text()
        for match in reversed(list(re.finditer(pattern, text, re.MULTILINE))):
            text = text[: match.start(1)] + version + text[match.end(1) :]
        path.write_text(text)


def _find_other_versions(version: str) -> Iterator[str]:
    for name, pattern in _PLACES.items():
        stated = re.findall(pattern, (ROOT / name).read_text(), re.MULTILINE)
        if not stated:
            yield f"{name} states no version"
        yield from (f"{name} states {other}" for other in sorted(set(stated) - {version}))


def _find_tree_faults() -> Iterator[str]:
    """Compare the trees of the recorded pages with the record. Refuse also if the documents are not on this machine."""
    if json.loads((ROOT / VERSIONS).read_text())["released"] != READER_VERSION:
        yield f"{VERSIONS} does not state reader version {READER_VERSION} as released: run --bump"
    done = subprocess.run([sys.executable, "-m", "tests.golden"], cwd=ROOT, capture_output=True, text=True)
    if done.returncode:
        yield f"the trees are not those of the record: {(done.stderr or done.stdout).strip()}"


def _find_changelog_faults(version: str, text: str) -> Iterator[str]:
    if not re.search(rf"^## \[{re.escape(version)}\] - \d{{4}}-\d\d-\d\d$", text, re.MULTILINE):
        yield f"CHANGELOG.md has no dated section of {version}"
    unreleased = re.search(r"^## \[Unreleased\]\n(.*?)^## ", text, re.MULTILINE | re.DOTALL)
    if unreleased and unreleased[1].strip():
        yield "CHANGELOG.md has entries under Unreleased"


def _git_setting(name: str) -> str:
    return subprocess.run(["git", "config", name], cwd=ROOT, capture_output=True, text=True).stdout.strip()


def _git(*arguments: str) -> str:
    return subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()


def main(arguments: list[str]) -> int:
    """Run the command; exit status 1 when the release is not ready."""
    if arguments and not re.fullmatch(NUMBER, arguments[0]):
        raise SystemExit(__doc__)
    if arguments:
        make_release(arguments[0])
        return subprocess.run([sys.executable, "-m", "quire.cluster.dist.release"], cwd=ROOT, check=False).returncode
    version = read_project_version()
    faults = list(find_faults(version))
    for fault in faults:
        print(f"release {version}: {fault}", file=sys.stderr)
    if not faults:
        print(f"release {version}: ready")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
