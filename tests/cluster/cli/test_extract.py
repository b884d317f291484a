"""`quire extract` as a user meets it: files in, results and exit codes out."""

import io
import json
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pymupdf
import pytest
from click.testing import CliRunner, Result

from quire.actors.reading.forkserver import ForkServer
from quire.actors.sandbox.limits import SandboxLimits
from quire.cluster.cli.documents.extract import extract
from quire.cluster.cli.documents.extract_files import name_results
from quire.cluster.cli.documents.extract_formats import EXTRACT_FORMATS
from tests.actors.test_second_opinion import DOUBTED, detector_of_table
from tests.hostile import pdfs

pytestmark = pytest.mark.long


class LastingServer(ForkServer):
    """Outlives the command that started it."""

    def close(self) -> None:
        """The next command finds it running."""

    def end(self) -> None:
        super().close()


@pytest.fixture(scope="module")
def servers() -> Iterator[Callable[[SandboxLimits], LastingServer]]:
    """One server for all commands that read the same formats: starting one costs more than most of them."""
    started: dict[str, LastingServer] = {}
    yield lambda limits: started.setdefault(limits.dump(), LastingServer(limits))
    for server in started.values():
        server.end()


@pytest.fixture(autouse=True)
def shared_servers(servers: Callable[[SandboxLimits], LastingServer], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("quire.actors.reading.forkserver.ForkServer", servers)


def run(*arguments: object) -> Result:
    return CliRunner().invoke(extract, [str(argument) for argument in arguments])


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    inside = tmp_path / "in"
    (inside / "deeper").mkdir(parents=True)
    (inside / "a.pdf").write_bytes(pdfs.good())
    (inside / "deeper" / "b.pdf").write_bytes(pdfs.good())
    (inside / "notes.txt").write_bytes(b"\0\1 no document")
    return inside


def test_a_folder_gives_one_tree_per_document(folder: Path, tmp_path: Path) -> None:
    result = run(folder, "-o", tmp_path / "out", "--jobs", 2)
    out = tmp_path / "out"
    reason, summary = result.stderr.splitlines()
    assert (result.exit_code, summary.split(" → ")[0]) == (0, "2 read, 1 skipped (notes.txt)")
    assert reason.startswith(f"{folder / 'notes.txt'}: skipped: unsupported-format: ")
    assert sorted(str(path.relative_to(out)) for path in out.rglob("*.json")) == ["a.json", "deeper/b.json"]
    tree = json.loads((tmp_path / "out" / "a.json").read_text())
    assert tree["source"]["name"] == "a.pdf"
    assert "Hello hostile world" in tree["blocks"][0]["text"]


def test_patterns_are_expanded(folder: Path, tmp_path: Path) -> None:
    result = run(folder / "**" / "*.pdf", "-o", tmp_path / "out")
    assert result.exit_code == 0
    assert len(list((tmp_path / "out").rglob("*.json"))) == 2


def test_markdown_has_its_own_suffix(folder: Path, tmp_path: Path) -> None:
    run(folder / "a.pdf", "--to", "markdown", "-o", tmp_path / "out")
    assert "Hello hostile world" in (tmp_path / "out" / "a.md").read_text()


def test_a_file_that_fails_is_named_with_its_code_and_the_others_are_read(folder: Path, tmp_path: Path) -> None:
    (folder / "locked.pdf").write_bytes(pdfs.encrypted("secret"))
    result = run(folder, folder / "notes.txt", "-o", tmp_path / "out", "--jobs", 1)
    assert result.exit_code == 1
    *failures, summary = result.stderr.splitlines()
    assert sorted(line for line in failures if ": skipped: " not in line) == [
        f"{folder / 'locked.pdf'}: encrypted: the file needs a password; quire extract takes it with --password",
        f"{folder / 'notes.txt'}: unsupported-format: the content is neither text nor a known file format",
    ]
    assert summary.startswith("2 read, 2 failed, 1 skipped (notes.txt) → ")
    assert (tmp_path / "out" / "a.json").exists()


def test_a_password_opens(tmp_path: Path) -> None:
    (tmp_path / "locked.pdf").write_bytes(pdfs.encrypted("secret"))
    assert run(tmp_path / "locked.pdf", "--password", "secret", "-o", tmp_path / "out").exit_code == 0


def test_pages_are_chosen(tmp_path: Path) -> None:
    import pymupdf

    with pymupdf.open() as document:
        for number in range(1, 6):
            document.new_page().insert_text((72, 72), f"page number {number}")
        document.save(tmp_path / "five.pdf")
    assert run(tmp_path / "five.pdf", "--pages", "1-2,5", "-o", tmp_path / "out").exit_code == 0
    tree = json.loads((tmp_path / "out" / "five.json").read_text())
    assert [page["number"] for page in tree["pages"]] == [1, 2, 5]


@pytest.mark.parametrize(
    "arguments",
    [[], ["absent.pdf"], ["--to", "paper", "x"], ["--pages", "0", "x"], ["--pages", "a-b", "x"], ["--jobs", "0", "x"]],
)  # fmt: skip
def test_wrong_use_is_exit_2(arguments: list[str]) -> None:
    assert run(*arguments).exit_code == 2


def test_unreadable_file_prints_no_traceback(folder: Path, tmp_path: Path) -> None:
    (folder / "gone.pdf").symlink_to(folder / "nowhere.pdf")
    result = run(folder / "*.pdf", "-o", tmp_path / "out", "--quiet")
    said = f"{folder / 'gone.pdf'}: original-missing: the file cannot be opened\n"
    assert (result.exit_code, result.stderr) == (1, said)


def test_names_clash_only_where_stems_do() -> None:
    files = [Path("x/a.pdf"), Path("x/a.docx"), Path("x/b.pdf"), Path("y/a.pdf")]
    names = ["x/a.pdf.json", "x/a.docx.json", "x/b.json", "y/a.json"]
    assert [str(name) for name in name_results(files, ".json")] == names
    twice = name_results([Path("a.pdf"), Path("a.pdf")], ".json")
    assert [str(name) for name in twice] == ["a.pdf.json", "a.pdf-2.json"]


def test_the_command_imports_no_service() -> None:
    heavy = ("ray", "storage", "fastapi", "sqlmodel", "psycopg", "pymupdf", "numpy", "charset_normalizer")
    code = (
        "import sys; import quire.cluster.cli.documents.extract, quire.actors.reading.read_document; "
        f"print([m for m in {heavy} if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("to", ["chunks", "fields", "semantics", "context", "graph"])
def test_derived_outputs_are_written_as_json(folder: Path, tmp_path: Path, to: str) -> None:
    result = run(folder / "a.pdf", "--to", to, "-o", tmp_path / "out")
    assert result.exit_code == 0, result.stderr
    assert isinstance(json.loads((tmp_path / "out" / "a.json").read_text()), list | dict)


def test_running_headers_are_in_markdown_if_asked_for_and_in_plain(tmp_path: Path) -> None:
    sample = Path(__file__).parents[3] / "docs" / "sample" / "quire-sample.pdf"
    run(sample, "--to", "markdown", "--furniture", "-o", tmp_path / "with")
    run(sample, "--to", "markdown", "-o", tmp_path / "without")
    run(sample, "--to", "markdown", "--plain", "-o", tmp_path / "plain")
    run(sample, "--to", "markdown", "--plain", "--no-furniture", "-o", tmp_path / "bare")
    kept = {
        name: "page 1 of 3" in (tmp_path / name / "quire-sample.md").read_text()
        for name in ("with", "without", "plain", "bare")
    }
    assert kept == {"with": True, "without": False, "plain": True, "bare": False}


def test_plain_markdown_has_the_words_of_a_link_and_of_bold_text_alone(tmp_path: Path) -> None:
    page = (document := pymupdf.open()).new_page()
    page.insert_text((72, 90), "Read the manual first.")
    page.insert_link({"kind": pymupdf.LINK_URI, "from": pymupdf.Rect(70, 75, 200, 95), "uri": "https://example.com/m"})
    (tmp_path / "a.pdf").write_bytes(document.tobytes())
    run(tmp_path / "a.pdf", "--to", "markdown", "-o", tmp_path / "rich")
    run(tmp_path / "a.pdf", "--to", "markdown", "--plain", "-o", tmp_path / "plain")
    assert "](https://example.com/m)" in (tmp_path / "rich" / "a.md").read_text()
    assert (tmp_path / "plain" / "a.md").read_text() == "Read the manual first.\n"


def test_one_document_goes_to_the_file_that_is_named(tmp_path: Path) -> None:
    (tmp_path / "a.pdf").write_bytes(pdfs.good())
    result = run(tmp_path / "a.pdf", "--to", "md", "-o", tmp_path / "new" / "report.md")
    assert result.exit_code == 0
    assert "report.md" in result.stderr
    first = (tmp_path / "new" / "report.md").read_bytes()
    assert run(tmp_path / "a.pdf", "--to", "md", "-o", tmp_path / "new" / "report.md").exit_code == 0
    assert (tmp_path / "new" / "report.md").read_bytes() == first != b""
    assert [path.name for path in (tmp_path / "new").iterdir()] == ["report.md"]


@pytest.mark.parametrize(("name", "begins"), [("own.md", b"# "), ("own.html", b"<!"), ("own.json", b'{"source"')])
def test_the_ending_of_the_output_names_the_format(tmp_path: Path, name: str, begins: bytes) -> None:
    (tmp_path / "a.md").write_text("# Title\n\ntext\n")
    assert run(tmp_path / "a.md", "-o", tmp_path / name).exit_code == 0
    assert (tmp_path / name).read_bytes().startswith(begins)
    (tmp_path / "folder.md").mkdir()
    assert run(tmp_path / "a.md", "-o", tmp_path / "folder.md").exit_code == 0
    assert [path.name for path in (tmp_path / "folder.md").iterdir()] == ["a.json"]


def test_many_documents_do_not_go_to_one_file(tmp_path: Path) -> None:
    for name in ("a.pdf", "b.pdf"):
        (tmp_path / name).write_bytes(pdfs.good())
    result = run(tmp_path / "a.pdf", tmp_path / "b.pdf", "--to", "md", "-o", tmp_path / "report.md")
    assert (result.exit_code, "takes one document" in result.stderr) == (2, True)
    assert not (tmp_path / "report.md").exists()


def test_output_name_with_another_suffix_is_a_folder_and_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.pdf").write_bytes(pdfs.good())
    assert run(tmp_path / "a.pdf", "--to", "md", "-o", tmp_path / "v1.2").exit_code == 0
    assert (tmp_path / "v1.2" / "a.md").exists()
    (tmp_path / "taken").write_text("x")
    assert run(tmp_path / "a.pdf", "--to", "md", "-o", tmp_path / "taken").exit_code == 2
    assert (tmp_path / "taken").read_text() == "x"


@pytest.mark.parametrize("to", list(EXTRACT_FORMATS))
def test_redacted_results_contain_no_personal_data_in_content_or_name(tmp_path: Path, to: str) -> None:
    document = pymupdf.open()
    document.new_page().insert_text((72, 90), "Write to ann.canary@example.com today")
    document.set_metadata({"author": "ann.canary@example.com"})
    (tmp_path / "ann.canary.pdf").write_bytes(document.tobytes())
    result = run(tmp_path / "ann.canary.pdf", "--redacted", "--to", to, "-o", tmp_path / "out", "--quiet")
    assert (result.exit_code, result.stderr) == (0, "")
    written = list((tmp_path / "out").iterdir())
    assert [path.stem for path in written] == ["document-00001"]
    assert b"canary" not in unpacked(written[0].read_bytes())


@pytest.mark.parametrize(("engine", "shown"), [(None, False), ("names", False), ("patterns", True)])
def test_names_are_masked_by_default_and_not_with_the_patterns_engine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, engine: str | None, shown: bool
) -> None:
    if engine:
        monkeypatch.setenv("SVC_PII_ENGINE", engine)
    else:
        monkeypatch.delenv("SVC_PII_ENGINE", raising=False)
    (tmp_path / "a.txt").write_text("The report was written by Angela Whitmore and sent to the office.")
    result = run(tmp_path / "a.txt", "--redacted", "--to", "md", "-o", tmp_path / "out", "--quiet")
    assert (result.exit_code, result.stderr) == (0, "")
    written = (tmp_path / "out" / "document-00001.md").read_text()
    assert ("Angela Whitmore" in written, "[REDACTED:person]" in written) == (shown, not shown)
    assert "sent to the office" in written


def unpacked(written: bytes) -> bytes:
    """A package as the bytes of its members; anything else as it is."""
    if not zipfile.is_zipfile(io.BytesIO(written)):
        return written
    with zipfile.ZipFile(io.BytesIO(written)) as package:
        return b"".join(package.read(name) for name in package.namelist())


def test_the_detector_that_the_settings_name_must_be_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.pdf").write_bytes(pdfs.good())
    monkeypatch.setenv("SVC_PII_ENGINE", "presidio")
    monkeypatch.setenv("SVC_PII_LANGUAGES", "xx")
    result = run(tmp_path / "a.pdf", "--redacted", "-o", tmp_path / "out")
    assert result.exit_code == 1
    assert "docs/pii.md" in result.stderr
    assert list((tmp_path / "out").iterdir()) == []


def test_accurate_asks_a_layout_detector_about_doubted_pages(tmp_path: Path) -> None:
    (tmp_path / "a.pdf").write_bytes(DOUBTED)
    model = detector_of_table(tmp_path / "model")
    told: dict[str, list[str]] = {}
    for flags in ((), ("--accurate", "--layout-model", model)):
        result = run(tmp_path / "a.pdf", "-o", tmp_path / "out", *flags)
        assert result.exit_code == 0, result.output
        tree = json.loads((tmp_path / "out" / "a.json").read_text())
        told["accurate" if flags else "plain"] = [block["type"] for block in tree["blocks"]]
    assert ("table" in told["plain"], "table" in told["accurate"]) == (False, True)


def test_accurate_without_a_model_says_how_to_get_one(tmp_path: Path) -> None:
    (tmp_path / "a.pdf").write_bytes(pdfs.good())
    result = run(tmp_path / "a.pdf", "-o", tmp_path / "out", "--accurate", "--layout-model", tmp_path / "nowhere")
    assert result.exit_code == 1
    assert "labels.txt" in result.stderr
    assert "docs/operating.md" in result.stderr


@pytest.mark.parametrize("is_inline", [False, True])
def test_a_schema_gives_values_with_evidence(tmp_path: Path, is_inline: bool) -> None:
    document = pymupdf.open()
    document.new_page().insert_text((72, 72), "Invoice Number: INV-7731")
    document.save(tmp_path / "bill.pdf")
    schema = {"type": "object", "properties": {"invoice_number": {"type": "string"}}}
    (tmp_path / "schema.json").write_text(json.dumps(schema))
    stated = json.dumps(schema) if is_inline else tmp_path / "schema.json"
    result = run(tmp_path / "bill.pdf", "--schema", stated, "-o", tmp_path / "out")
    assert result.exit_code == 0, result.output
    written = next(path for path in (tmp_path / "out", *(tmp_path / "out").rglob("*.json")) if path.is_file())
    answer = json.loads(written.read_text())
    assert answer["data"] == {"invoice_number": "INV-7731"}
    assert answer["evidence"]["/invoice_number"]["verbatim"] == "INV-7731"


def test_a_wrong_schema_is_refused_with_its_path(tmp_path: Path) -> None:
    (tmp_path / "bill.pdf").write_bytes(pdfs.good())
    (tmp_path / "schema.json").write_text('{"type": "object", "properties": {"a": {"$ref": "#"}}}')
    result = run(tmp_path / "bill.pdf", "--schema", tmp_path / "schema.json")
    assert result.exit_code == 2
    assert "recursive-schema at /properties/a/$ref" in result.output


@pytest.mark.parametrize(
    ("stated", "said"), [("nowhere.json", "no such file: nowhere.json"), ('{"type":', "is not JSON")]
)
def test_a_schema_that_is_none_is_named(tmp_path: Path, stated: str, said: str) -> None:
    (tmp_path / "bill.pdf").write_bytes(pdfs.good())
    result = run(tmp_path / "bill.pdf", "--schema", stated)
    assert result.exit_code == 2
    assert said in result.output


def test_an_empty_file_is_called_empty(tmp_path: Path) -> None:
    (tmp_path / "bill.pdf").write_bytes(b"")
    assert "bill.pdf: unsupported-format: the file is empty" in run(tmp_path / "bill.pdf").stderr


def test_cut_file_is_named_on_stderr_and_not_complete(tmp_path: Path) -> None:
    file = pymupdf.open()
    for number in range(3):
        file.new_page().insert_text((72, 100), f"page {number}")
    data = bytes(file.tobytes())
    (tmp_path / "cut.pdf").write_bytes(data[: data.rfind(b" 0 obj\n<</Length")])
    (tmp_path / "whole.pdf").write_bytes(data)
    result = run(tmp_path, "-o", tmp_path / "out", "--json", "--report")
    notice = "the file is cut off or damaged; 2 of 3 pages have content"
    stated = {Path(entry["file"]).name: entry["coverage"] for entry in json.loads(result.stdout)["documents"]}
    assert (stated["cut.pdf"]["complete"], stated["cut.pdf"]["notice"]) == (False, notice)
    assert (stated["whole.pdf"]["complete"], stated["whole.pdf"]["notice"]) == (True, None)
    assert result.stderr.count(f"cut.pdf: {notice}\n") == 1
    assert f"cut.pdf: NOT complete; {notice}; " in result.stderr
    assert (result.exit_code, "whole.pdf: the file" in result.stderr) == (0, False)
