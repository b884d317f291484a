"""Runs the peers in their own virtual environment; started by the benchmarks with that interpreter.

run_peers.py write PDFS OUT     Markdown of every file, a folder per engine
run_peers.py time PDFS ROUNDS   {"engine": best pages per CPU second} as one line of JSON
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
    engines: dict[str, Engine] = {}
    try:
        from liteparse import LiteParse

        parser: Any = LiteParse(ocr_enabled=False, output_format="markdown", quiet=True)
        engines["liteparse"] = lambda data: str(parser.parse(data).text)
    except ImportError:
        pass
    try:
        import pdf_inspector

        engines["pdf-inspector"] = lambda data: str(pdf_inspector.process_pdf_bytes(data).markdown or "")
    except ImportError:
        pass
    return engines


def measure_speed(engine: Engine, files: list[bytes], rounds: int) -> float:
    """Files per CPU second (the files have one page), best round."""
    best = float("inf")
    for _ in range(rounds):
        start = time.process_time()
        for data in files:
            engine(data)
        best = min(best, time.process_time() - start)
    return len(files) / best


def main() -> None:
    command, folder, last = sys.argv[1:4]
    pdfs = sorted(Path(folder).glob("*.pdf"))
    if command == "time":
        files = [pdf.read_bytes() for pdf in pdfs]
        print(json.dumps({name: measure_speed(engine, files, int(last)) for name, engine in find_engines().items()}))
        return
    for name, engine in find_engines().items():
        out = Path(last) / name
        out.mkdir(parents=True, exist_ok=True)
        for pdf in pdfs:
            (out / f"{pdf.stem}.md").write_text(engine(pdf.read_bytes()), "utf-8")


if __name__ == "__main__":
    main()
