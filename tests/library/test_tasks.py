"""docs/coming-from.md: each task of the page runs with the library or the command, in as few lines as elsewhere."""

import io
import os
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pymupdf
import pytest
from PIL import Image, ImageDraw

from tests.models.extract.formats.sheets.workbooks import number_cell, sheet, text_cell, workbook

PAGE = Path(__file__).resolve().parents[2] / "docs" / "coming-from.md"
LINES = [line.strip("| ") for line in PAGE.read_text().splitlines() if line.startswith("| ") and "`" in line]
ROWS = [line.split(" | ") for line in LINES]
TASKS = {task: (theirs, ours) for task, theirs, ours in ROWS}
HOST = "https://example.com"
SHOWN = {"an address, in Python": "Cranes", "a workbook, in Python": "| Crane 3 | 4.8 |"}
"""What a program prints."""
WRITTEN = {
    "Markdown into a file": ("output.md", "Cranes"),
    "pictures next to the Markdown": ("output.md", "![](p1-"),
    "an address, in a shell": ("input.md", "Cranes"),
    "file, output file and pipe, in a shell": ("document.md", "Cranes"),
}
"""A file that a task writes, and a text in it."""
PRINTED_AFTER = {
    "Markdown of a PDF": ("print(md)", "Cranes"),
    "some pages": ("print(md)", "Cranes"),
    "one Markdown per page": ("print(len(data), data[1])", "2 Second page"),
    "documents of LlamaIndex": ("print([one.text for one in data])", "'Second page'"),
}
"""A line that shows what a task has made, and a text that it prints."""


def lines_of(cell: str) -> list[str]:
    return [line.replace("\\|", "|") for line in re.findall(r"`([^`]+)`", cell)]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The files that the tasks name, and a stand-in for LlamaIndex, which these tests do not install."""
    picture, drawn = io.BytesIO(), Image.new("RGB", (300, 200), "white")
    ImageDraw.Draw(drawn).ellipse((20, 20, 200, 180), fill="navy")
    drawn.save(picture, "PNG")
    with pymupdf.open() as document:
        page = document.new_page()
        page.insert_text((72, 72), "Cranes of the north quay.")
        page.insert_image(pymupdf.Rect(72, 100, 400, 300), stream=picture.getvalue())
        document.new_page().insert_text((72, 72), "Second page")
        document.save(tmp_path / "input.pdf")
    head = f'<row r="1">{text_cell("A1", "Crane")}{text_cell("B1", "Slip")}</row>'
    row = f'<row r="2">{text_cell("A2", "Crane 3")}{number_cell("B2", 4.8)}</row>'
    (tmp_path / "test.xlsx").write_bytes(workbook(sheet(head + row)))
    stand_in = tmp_path / "stand-in" / "llama_index"
    stand_in.mkdir(parents=True)
    (stand_in / "core.py").write_text("class Document:\n    def __init__(self, text): self.text = text\n")
    return tmp_path


@pytest.fixture
def address(folder: Path) -> Iterator[str]:
    """The folder as a web site on this machine."""
    handler = partial(SimpleHTTPRequestHandler, directory=str(folder))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def run(lines: list[str], folder: Path, **more: str) -> str:
    is_shell = lines[0].startswith("$ ")
    program = "\n".join(line.removeprefix("$ ") for line in lines)
    command = ["bash", "-euo", "pipefail", "-c", program] if is_shell else [sys.executable, "-c", program]
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "PYTHONPATH": str(folder / "stand-in"), **more}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_page_has_ten_tasks() -> None:
    assert len(TASKS) == 10
    assert TASKS.keys() == SHOWN.keys() | WRITTEN.keys() | PRINTED_AFTER.keys()


@pytest.mark.parametrize("task", TASKS)
def test_task_takes_no_more_lines_than_elsewhere(task: str) -> None:
    theirs, ours = map(lines_of, TASKS[task])
    assert 1 <= len(ours) <= len(theirs)


@pytest.mark.parametrize("task", TASKS)
def test_task_gives_its_result(task: str, folder: Path, address: str) -> None:
    lines = [line.replace(HOST, address) for line in lines_of(TASKS[task][1])]
    show, text = PRINTED_AFTER.get(task, ("", SHOWN.get(task, "")))
    port = address.rpartition(":")[2]
    printed = run([*lines, show], folder, SVC_DOWNLOAD_ALLOW=f"127.0.0.1:{port}")
    if task in WRITTEN:
        name, text = WRITTEN[task]
        printed = (folder / name).read_text()
    assert text in printed
    for picture in re.findall(r"!\[\]\((\S+)\)", printed if task.startswith("pictures") else ""):
        with Image.open(folder / picture) as opened:
            assert opened.size[0] > 100
