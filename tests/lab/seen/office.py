"""`python -m tests.lab.seen.office FOLDER… [--lines]`: words that LibreOffice draws and a tree lacks, file by file.

Each DOCX, PPTX, XLSX, ODT, ODS and ODP is drawn as PDF. A word counts as missing if the tree has it nowhere: heads and
feet of pages repeat, so numbers of occurrences say little. Needs `soffice` (Debian: libreoffice-writer, -calc and
-impress). Prints the files that lack more than 2 % of the drawn words and say that they are complete.

With `--lines`, DOCX and ODT files are written as text instead, with the numbers of their lists and headings, and the
lines of headings and lists of the tree that are neither there nor on the drawn page, as text boxes are, are printed.
"""

import argparse
import re
import shutil
import subprocess
import sys
import tempfile
import unicodedata
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pymupdf

from quire.models.cdom.tree import BlockType, Tree
from tests.lab.seen.__main__ import WORD
from tests.models.extract.flow_trees import read_tree

SUFFIXES = (".docx", ".pptx", ".xlsx", ".odt", ".ods", ".odp")
MISSED = 0.02
"""Share of the drawn words that a complete tree may lack."""
AT_ONCE = 20
"""Files that one start of LibreOffice draws."""
_LISTED = frozenset({BlockType.TITLE, BlockType.HEADING, BlockType.LIST_ITEM, BlockType.CHECKBOX})
_BULLET = re.compile(r"^[^\w(\[]+(?=.)")


def draw(files: dict[str, Path], folder: Path, kind: str = "pdf") -> None:
    """Write a PDF, or another kind, of each file into the folder; LibreOffice leaves out what it cannot read.

    `files` maps the names that the results get, because files of different folders and formats share theirs.
    """
    copies = folder / "originals"
    copies.mkdir(exist_ok=True)
    named = [shutil.copy(path, copies / f"{name}{path.suffix}") for name, path in files.items()]
    command = ["soffice", f"-env:UserInstallation=file://{folder}/profile", "--headless", "--convert-to", kind]
    for start in range(0, len(named), AT_ONCE):
        some = [str(file) for file in named[start : start + AT_ONCE]]
        subprocess.run([*command, "--outdir", str(folder), *some], check=False, capture_output=True, timeout=900)


def list_drawn(path: Path) -> Counter[str]:
    """Return the words of a PDF with their numbers."""
    with pymupdf.open(path) as file:
        text = "\n".join(page.get_text() for page in file)
    return Counter(WORD.findall(_fold(text)))


def join_drawn(path: Path) -> str:
    """Return the text of a PDF without blanks, in the order of its page; empty without the file."""
    if not path.exists():
        return ""
    with pymupdf.open(path) as file:
        return "".join("".join(_fold(page.get_text(sort=True)).split()) for page in file)


def join_read(tree: Tree) -> str:
    """Return the words of a tree without blanks: narrow cells and other fonts divide drawn words."""
    return "".join(WORD.findall(_fold("\n".join(_texts(tree)))))


def _fold(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold()


def _texts(tree: Tree) -> Iterator[str]:
    yield from (page.label or "" for page in tree.pages)
    for block in tree.blocks:
        yield block.text
        yield from [axis.title for axis in block.picture.axes] if block.picture is not None else ()
        for cell in block.table.cells if block.table is not None else ():
            yield cell.text


def list_lines(text: str) -> list[str]:
    """Return the lines without blanks and bullets."""
    return [line for part in _fold(text).splitlines() if (line := _BULLET.sub("", "".join(part.split())))]


def measure_words(files: dict[str, Path], folder: Path) -> None:
    """Print the files that lack drawn words."""
    draw(files, folder)
    judged = exposed = 0
    for pdf in sorted(folder.glob("*.pdf")):
        drawn, path = list_drawn(pdf), files[pdf.stem]
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
    print(f"{judged} of {len(files)} files drawn; {exposed} are complete and lack more than {MISSED:.0%}")


def measure_lines(files: dict[str, Path], folder: Path) -> None:
    """Print headings and items of lists that LibreOffice writes in another way."""
    texts = {name: path for name, path in files.items() if path.suffix in (".docx", ".odt")}
    draw(texts, folder, "txt:Text (encoded):UTF8")
    draw(texts, folder)
    equal = total = whole = judged = 0
    for written in sorted(folder.glob("*.txt")):
        tree = read_tree(texts[written.stem].read_bytes())
        wanted = set(list_lines(written.read_text("utf-8-sig", "replace").replace("\x0b", "\n")))
        listed = [line for block in tree.blocks if block.type in _LISTED for line in list_lines(block.text)]
        other = [line for line in listed if line not in wanted]
        drawn = join_drawn(folder / f"{written.stem}.pdf") if other else ""
        other = [line for line in other if line not in drawn]
        judged += bool(listed)
        whole += bool(listed) and not other
        equal, total = equal + len(listed) - len(other), total + len(listed)
        if other:
            print(f"{texts[written.stem].name}: {len(other)} of {len(listed)}: {other[:4]}")
    print(
        f"{judged} files with headings or lists, {whole} equal; lines {equal} of {total}, {equal / max(1, total):.4f}"
    )


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.lab.seen.office", description=__doc__)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--most", type=int, default=300, help="files")
    parser.add_argument("--lines", action="store_true", help="compare headings and lists with LibreOffice's text")
    chosen = parser.parse_args()
    paths = [path for folder in chosen.folders for path in sorted(folder.rglob("*")) if path.suffix in SUFFIXES]
    files = {f"{number:04d}": path for number, path in enumerate(paths[: chosen.most])}
    with tempfile.TemporaryDirectory() as made:
        (measure_lines if chosen.lines else measure_words)(files, Path(made))
    return 0


if __name__ == "__main__":
    sys.exit(main())
