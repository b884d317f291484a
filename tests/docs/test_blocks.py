"""The code blocks of the documentation run as they stand, with this test's address and key.

`python` blocks are run as programs, `bash` blocks of one page by one bash in order; those of RUN_WITH_SERVICE run in
tests/e2e/test_search.py. `text` and `console` show what is typed where no test can follow: a clone, an installation,
another program's settings.
"""

import re
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from quire.actors.sql.runner import SqlRunner
from quire.serve_apps.api.context.resources import Ports
from quire.storage.store import Store
from tests.api.harness import Eyes, Painter, make_resources, reading
from tests.api.live import listening
from tests.ui.papers import PATTERN_SCAN, LetterReader

ROOT = Path(__file__).resolve().parents[2]
SAMPLE = ROOT / "docs" / "sample" / "quire-sample.pdf"
EXTRACT, FINETUNE = "docs/extract.md", "docs/finetune.md"
PAGES = ("README.md", "docs/get-started.md", "docs/use-with.md", FINETUNE, EXTRACT)
RUN_WITH_SERVICE = ("README.md", "docs/get-started.md", "docs/tutorial.md")
SHOWN = {"text", "console", "json", "markdown"}
_BLOCK = re.compile(r"^```(\w*)\n(.*?)^```", re.DOTALL | re.MULTILINE)


def blocks(page: str, language: str) -> list[str]:
    return [text for kind, text in _BLOCK.findall((ROOT / page).read_text()) if kind == language]


class PageReader(LetterReader):
    """Reads the web pages of examples too."""

    heads = (b"<", b"%PDF")


@pytest.fixture
def reading_url(store: Store, dsn: str) -> Iterator[str]:
    reader = PageReader(store)
    thread = threading.Thread(target=reader.run)
    thread.start()
    try:
        with listening(make_resources(store, dsn=dsn, redaction_scan=PATTERN_SCAN)) as address:
            yield address
    finally:
        reader.stopping.set()
        thread.join()


@pytest.fixture
def url(store: Store, dsn: str) -> Iterator[str]:
    ports = Ports(render_page=Painter(), read_once=Eyes(), sql=SqlRunner())
    with reading(store), listening(make_resources(store, dsn=dsn, ports=ports, redaction_scan=PATTERN_SCAN)) as address:
        yield address


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A checkout as far as examples look at it, and a file of the reader's own."""
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "sample").symlink_to(SAMPLE.parent)
    shutil.copy(SAMPLE, tmp_path / "report.pdf")
    return tmp_path


def service_of(page: str) -> str:
    """Return the name of the service that a page needs: records are made of text that was really read."""
    return "reading_url" if page == FINETUNE else "url"


def environment(url: str) -> dict[str, str]:
    clients = ROOT / "serve_apps" / "clients"
    path = ":".join(str(clients / one) for one in ("python", "langchain", "llama_index", "haystack"))
    found = shutil.which("curl")
    assert found
    own = {"PATH": f"{Path(found).parent}:/usr/bin:/bin", "PYTHONPATH": path, "HOME": "/nonexistent"}
    return own | {"KEY": "acme-write", "QUIRE_URL": url, "QUIRE_TOKEN": "acme-write"}


def run(command: list[str], source: str, url: str, folder: Path) -> str:
    here = source.replace("http://127.0.0.1:8000", url).replace('"KEY"', '"acme-write"')
    done = subprocess.run(
        command, input=here, cwd=folder, env=environment(url), capture_output=True, text=True, timeout=100
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("page", [page for page in PAGES if page not in RUN_WITH_SERVICE and blocks(page, "bash")])
def test_the_shell_blocks_of_a_page_run_in_order(page: str, folder: Path, request: pytest.FixtureRequest) -> None:
    url = request.getfixturevalue(service_of(page))
    source = 'set -euo pipefail\ncurl() { command curl --fail-with-body "$@"; }\n' + "\n".join(blocks(page, "bash"))
    run(["bash", "-s"], source, url, folder)


@pytest.mark.parametrize(
    ("page", "number"),
    [(page, number) for page in PAGES if page != EXTRACT for number in range(len(blocks(page, "python")))],
)
def test_a_python_block_runs_alone(page: str, number: int, folder: Path, request: pytest.FixtureRequest) -> None:
    url = request.getfixturevalue(service_of(page))
    assert run([sys.executable, "-"], blocks(page, "python")[number], url, folder).strip()


@pytest.mark.parametrize("number", range(len(blocks(EXTRACT, "python"))))
def test_extraction_prints_the_output_of_its_page(number: int, reading_url: str, folder: Path) -> None:
    source, shown = blocks(EXTRACT, "python")[number], blocks(EXTRACT, "text")[number]
    assert run([sys.executable, "-"], source, reading_url, folder) == shown


@pytest.mark.parametrize("page", dict.fromkeys(PAGES + RUN_WITH_SERVICE))
def test_every_block_is_run_or_marked_as_shown_only(page: str) -> None:
    kinds = {kind for kind, _ in _BLOCK.findall((ROOT / page).read_text())}
    assert kinds <= SHOWN | {"python", "bash"}


def test_commands_of_the_command_line_are_there() -> None:
    text = (ROOT / "docs" / "cli.md").read_text() + (ROOT / "README.md").read_text()
    from quire.cluster.cli.main import cli

    known = set(cli.list_commands(None))  # type: ignore[arg-type]
    named = set(re.findall(r"^(?:\$ |\.venv/bin/)?(?:cat \S+ \| )?quire ([a-z]+)(?![a-z.-])", text, re.MULTILINE))
    assert named
    assert named <= known
