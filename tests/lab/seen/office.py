"""`python -m tests.lab.seen.office FOLDER…`: words that LibreOffice draws and a tree lacks, file by file.

Each DOCX, PPTX, XLSX, ODT, ODS and ODP is drawn as PDF. A word counts as missing if the tree has it nowhere: heads and
feet of pages repeat, so numbers of occurrences say little. Needs `soffice` (Debian: libreoffice-writer, -calc and
-impress). Prints the files that lack more than 2 % of the drawn words and say that they are complete.
"""

import argparse
import subprocess
import sys
import tempfile
import unicodedata
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pymupdf

from quire.models.cdom.tree import Tree
from tests.lab.seen.__main__ import WORD
from tests.models.extract.flow_trees import read_tree

SUFFIXES = (".docx", ".pptx", ".xlsx", ".odt", ".ods", ".odp")
MISSED = 0.02
"""Share of the drawn words that a complete tree may lack."""
AT_ONCE = 20
"""Files that one start of LibreOffice draws."""


def draw(files: list[Path], folder: Path) -> None:
    """Write a PDF of each file into the folder; LibreOffice leaves out what it cannot read."""
    command = ["soffice", f"-env:UserInstallation=file://{folder}/profile", "--headless", "--convert-to", "pdf"]
    for start in range(0, len(files), AT_ONCE):
        some = [str(file.absolute()) for file in files[start : start + AT_ONCE]]
        subprocess.run([*command, "--outdir", str(folder), *some], check=False, capture_output=True, timeout=900)


def list_drawn(path: Path) -> Counter[str]:
    """Return the words of a PDF with their numbers."""
    with pymupdf.open(path) as file:
        text = "\n".join(page.get_text() for page in file)
    return Counter(WORD.findall(_fold(text)))


def join_read(tree: Tree) -> str:
    """Return the words of a tree without blanks: narrow cells and other fonts divide drawn words."""
    return "".join(WORD.findall(_fold("\n".join(_texts(tree)))))


def _fold(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold()


def _texts(tree: Tree) -> Iterator[str]:
    yield from (page.label or "" for page in tree.pages)
    for block in tree.blocks:
        yield block.text
        for cell in block.table.cells if block.table is not None else ():
            yield cell.text


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.lab.seen.office", description=__doc__)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--most", type=int, default=300, help="files")
    chosen = parser.parse_args()
    files = [path for folder in chosen.folders for path in sorted(folder.rglob("*")) if path.suffix in SUFFIXES]
    names = {path.stem: path for path in files[: chosen.most]}
    judged = exposed = 0
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        draw(list(names.values()), folder)
        for pdf in sorted(folder.glob("*.pdf")):
            drawn, path = list_drawn(pdf), names[pdf.stem]
            tree = read_tree(path.read_bytes())
            read = join_read(tree)
            missing = [word for word in drawn if word not in read]
            share = sum(drawn[word] for word in missing) / max(1, sum(drawn.values()))
            judged += 1
            is_complete = tree.coverage is not None and bool(tree.coverage.complete)
            exposed += is_complete and share > MISSED
            if share > MISSED:
                state = "complete" if is_complete else "not complete"
                print(f"{path.name}: {state}, lacks {share:.3f} of {sum(drawn.values())}: {missing[:12]}")
    print(f"{judged} of {len(names)} files drawn; {exposed} are complete and lack more than {MISSED:.0%}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
