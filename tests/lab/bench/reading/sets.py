"""Finds the data of a benchmark and makes its predictions; the data is not part of the project."""

import json
import os
from pathlib import Path

from quire.models.cdom.original import OcrMode, ReadOptions
from quire.models.cdom.tree import Source, Tree
from quire.models.export.markdown import tree_to_markdown
from quire.models.extract.pipeline.assemble import assemble
from quire.models.extract.registry import open_document

SOURCE = Source(format="pdf", sha256="0" * 64, bytes=0)
OPTIONS = ReadOptions(ocr=OcrMode.NEVER)


def find_data(stated: str | None) -> Path:
    """Return the folder with `odl/`, `olmocr/` and, inside or next to it, `score/`; ends the program without one."""
    place = stated or os.environ.get("QUIRE_BENCH_DATA")
    if not place or not (Path(place) / "odl").is_dir():
        raise SystemExit("name the data folder with --data DIR or QUIRE_BENCH_DATA (it holds odl/ and olmocr/)")
    return Path(place)


def find_scorers(data: Path) -> Path:
    """The folder of score_*.py."""
    for place in (data / "score", data.parent / "score"):
        if place.is_dir():
            return place
    raise SystemExit("no score/ folder inside or beside the data")


def find_sources(data: Path, names: list[str]) -> list[Path]:
    """The folders below `data` with PDFs and their truth, of these names where any is given, by path."""
    homes = [
        pdfs.parent
        for pdfs in sorted(data.rglob("pdfs"))
        if any((pdfs.parent / truth).is_dir() for truth in ("gt", "gt_tables"))
    ]
    found = [home for home in homes if not names or home.name in names]
    if not found:
        raise SystemExit(f"no source with pdfs/ and gt/ or gt_tables/ below {data}")
    return found


def find_peers() -> str | None:
    """The interpreter of the environment that `make .venv-peers/.done` makes, null before that."""
    place = Path(".venv-peers/bin/python")
    return str(place) if place.exists() else None


def read_tree(data: bytes) -> Tree:
    """A PDF read as quire.models.extract does, in this process, without a recogniser."""
    document = open_document(data, OPTIONS)
    pages = [document.read_page(number).content for number in document.facts.page_numbers]
    document.close()
    return assemble(document.facts, pages, source=SOURCE, options=OPTIONS)


def write_predictions(pdfs: list[Path], out: Path, *, furniture: bool = True) -> None:
    """`<stem>.md` and, for the layout scorer, `layout/<stem>.json` of every file."""
    (out / "layout").mkdir(parents=True, exist_ok=True)
    for pdf in pdfs:
        tree = read_tree(pdf.read_bytes())
        (out / f"{pdf.stem}.md").write_text(tree_to_markdown(tree, furniture=furniture), "utf-8")
        (out / "layout" / f"{pdf.stem}.json").write_text(json.dumps({"blocks": list_blocks(tree)}), "utf-8")


def list_blocks(tree: Tree) -> list[dict[str, object]]:
    """Blocks as the layout scorer wants them: boxes as shares of the page."""
    sizes = {page.number: (page.width or 1.0, page.height or 1.0) for page in tree.pages}
    return [
        {
            "bbox": [value / sizes[block.page][at % 2] for at, value in enumerate(block.bbox)],
            "type": block.type.value,
            "text": block.text or " ".join(cell.text for cell in (block.table.cells if block.table else ())),
        }
        for block in tree.blocks
        if block.bbox is not None
    ]
