"""Runs the peers in their own virtual environment; started by the benchmarks with that interpreter.

run_peers.py write PDFS OUT     Markdown of every file, a folder per engine; {"engine": CPU seconds} as a line of JSON
run_peers.py time PDFS ROUNDS   {"engine": CPU seconds of the best round} as one line of JSON
"""

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

Engine = Callable[[bytes], str]


def find_engines() -> dict[str, Engine]:
    """The engines that are installed, by name."""
    found = {
        "liteparse": _load_liteparse,
        "pdf-inspector": _load_pdf_inspector,
        "pymupdf4llm": _load_pymupdf4llm,
    }
    engines: dict[str, Engine] = {}
    for name, load in found.items():
        try:
            engines[name] = load()
        except ImportError:
            continue
    return engines


def _load_liteparse() -> Engine:
    from liteparse import LiteParse

    parser: Any = LiteParse(ocr_enabled=False, output_format="markdown", quiet=True)
    return lambda data: str(parser.parse(data).text)


def _load_pdf_inspector() -> Engine:
    import pdf_inspector

    return lambda data: str(pdf_inspector.process_pdf_bytes(data).markdown or "")


def _load_pymupdf4llm() -> Engine:
    """pymupdf4llm with its layout network, which it uses once `pymupdf.layout` is imported."""
    import pymupdf
    import pymupdf.layout
    import pymupdf4llm

    return lambda data: str(pymupdf4llm.to_markdown(pymupdf.open(stream=data, filetype="pdf"), use_ocr=False))


def measure_speed(engine: Engine, files: list[bytes], rounds: int) -> float:
    """CPU seconds of the best round over the files, after a first file that is not counted."""
    engine(files[0])
    best = float("inf")
    for _ in range(rounds):
        start = time.process_time()
        for data in files:
            engine(data)
        best = min(best, time.process_time() - start)
    return best


def write_markdown(engine: Engine, pdfs: list[Path], out: Path) -> float:
    """Write the Markdown of every file that the engine accepts; CPU seconds without those of a first call."""
    out.mkdir(parents=True, exist_ok=True)
    engine(pdfs[0].read_bytes())
    start = time.process_time()
    for pdf in pdfs:
        try:
            text = engine(pdf.read_bytes())
        except Exception as error:
            print(f"{pdf.name}: {error}", file=sys.stderr)
            continue
        (out / f"{pdf.stem}.md").write_text(text, "utf-8")
    return time.process_time() - start


def main() -> None:
    command, folder, last = sys.argv[1:4]
    pdfs = sorted(Path(folder).glob("*.pdf"))
    if command == "time":
        files = [pdf.read_bytes() for pdf in pdfs]
        print(json.dumps({name: measure_speed(engine, files, int(last)) for name, engine in find_engines().items()}))
        return
    seconds = {name: write_markdown(engine, pdfs, Path(last) / name) for name, engine in find_engines().items()}
    print(json.dumps(seconds))


if __name__ == "__main__":
    main()
