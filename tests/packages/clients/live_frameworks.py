"""`python -m tests.packages.clients.live_frameworks PYTHON`: loaders against LangChain, LlamaIndex and Haystack.

Also other services' own clients before our doors: docling's, unstructured's, LangChain's for MCP; Open WebUI;
DuckDB and pandas over downloaded files.
PYTHON is an interpreter that has the libraries (`make test SUITE=frameworks` makes it). The wheels are built, installed
there from their files, and a program of each library and every README run against a service that reads the documents.
"""

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from quire.cluster.dist.build import CLIENTS, PYTHON_CLIENTS, ROOT, build_wheels
from quire.serve_apps.compat.app import create_compat
from quire.storage.store import open_store
from tests.api.harness import at_work, make_resources, reading
from tests.api.live import listening, listening_app
from tests.postgres import test_server
from tests.ui.papers import PATTERN_SCAN, LetterReader

SAMPLE = ROOT / "docs" / "sample" / "quire-sample.pdf"
PROGRAMS = [Path(__file__).with_name(name) for name in ("framework_program.py", "door_program.py", "data_program.py")]
PAGED = Path(__file__).with_name("open_webui_program.py")
WAIT_S = 20.0  # seconds that a conversion may take before it is a task
_PYTHON_BLOCK = re.compile(r"^```python\n(.*?)^```", re.DOTALL | re.MULTILINE)
_ELSEWHERE = '"https://example.org/terms.pdf"'


def main(arguments: list[str]) -> int:
    """0 when everything passed."""
    if not arguments:
        print(__doc__, file=sys.stderr)
        return 2
    python = Path(arguments[0]).absolute()
    with tempfile.TemporaryDirectory() as folder, test_server() as server, server.database() as dsn:
        work = Path(folder)
        install(python, work)
        make_papers(work)
        store = open_store(dsn, work / "workdir", signing_key=b"a key of these tests, long enough")
        with (
            listening(make_resources(store, dsn=dsn, redaction_scan=PATTERN_SCAN)) as url,
            listening_app(create_compat(url, wait_s=WAIT_S)) as door,
        ):
            there = {"QUIRE_URL": url, "QUIRE_DOOR": door, "QUIRE_PYTHON": sys.executable, "QUIRE_ROOT": str(ROOT)}
            with reading(store):
                failed = [name for name, source in programs().items() if not passes(python, name, source, there, work)]
            with at_work(LetterReader(store)):  # reads the pages that Open WebUI tells apart
                failed += [] if passes(python, PAGED.name, PAGED.read_text(), there, work) else [PAGED.name]
        store.close()
    return 1 if failed else 0


def install(python: Path, work: Path) -> None:
    """The wheels of all Python clients, without what they depend on: that is there."""
    (work / "scratch").mkdir()
    build_wheels(work / "scratch", work / "dist", compiled=False)
    wheels = [path for path in sorted((work / "dist").glob("*.whl")) if not path.name.startswith("quire-")]
    options = ["--quiet", "--no-deps", "--no-index", "--force-reinstall"]
    subprocess.run([sys.executable, "-m", "pip", "--python", python, "install", *options, *wheels], check=True)


def make_papers(work: Path) -> None:
    """The files that READMEs and programs name."""
    (work / "papers").mkdir()
    for name in ("report.pdf", "papers/one.pdf", "papers/two.pdf"):
        (work / name).write_bytes(SAMPLE.read_bytes())
    (work / "broken.bin").write_bytes(b"\0\1 nothing")


def programs() -> dict[str, str]:
    """By name: what is run."""
    readmes = {
        f"{name}/README.md": block.replace(_ELSEWHERE, '"papers/one.pdf"')
        for name in PYTHON_CLIENTS[1:]
        for block in _PYTHON_BLOCK.findall((CLIENTS / name / "README.md").read_text())
    }
    return readmes | {one.name: one.read_text() for one in PROGRAMS}


def passes(python: Path, name: str, source: str, there: dict[str, str], work: Path) -> bool:
    """Runs one; what it printed is shown where it failed."""
    environment = {**os.environ, **there, "QUIRE_TOKEN": "acme-write", "HAYSTACK_TELEMETRY_ENABLED": "False"}
    environment.pop("PYTHONPATH", None)
    done = subprocess.run([python, "-"], input=source, cwd=work, env=environment, capture_output=True, text=True)
    print(f"{'ok' if done.returncode == 0 else 'FAILED':8}{name}")
    if done.returncode:
        print(done.stdout, done.stderr, sep="\n")
    return done.returncode == 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
