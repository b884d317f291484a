"""`python -m tests.golden [--data FOLDER …] [--write]`: compare the trees of real pages with the record.

Exit status 0: all pages read as recorded. 1: some differ, or the reader version does not fit the record. 2: documents
of the record are missing below the folders. `--write` records the trees and refuses if the reader version must rise
first. `--choose COUNT` chooses other pages by seed before it writes.
"""

import argparse
import sys
from pathlib import Path

from tests.golden import versions
from tests.golden.pages import choose_pages, find_documents, list_changes, load_record, read_pages, save_record

DATA = (versions.ROOT / ".." / "shared" / "quality", versions.ROOT / ".." / "shared" / "cases")
SEED = 63


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.golden", description=__doc__)
    parser.add_argument("--data", type=Path, action="append")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--choose", type=int, metavar="COUNT")
    options = parser.parse_args()
    folders = [folder.resolve() for folder in options.data or DATA]
    recorded = load_record(versions.REAL)
    if options.choose:
        places = choose_pages(folders, options.choose, SEED)
    else:
        documents = find_documents(folders, {page.document for page in recorded})
        if missing := sum(page.document not in documents for page in recorded):
            print(f"golden: {missing} of {len(recorded)} pages are not below {', '.join(map(str, folders))}; "
                  "name the folders that have them: make golden DATA=folder", file=sys.stderr)  # fmt: skip
            return 2
        places = [(documents[page.document], page.page) for page in recorded]
    pages = list(read_pages(places))
    changes = list_changes(recorded, pages)
    print("\n".join([*changes, f"golden: {len(pages) - len(changes)} of {len(pages)} pages read as recorded"]))
    if options.write:
        save_record(versions.REAL, pages)
        save_record(versions.MADE, versions.read_made_pages())
        versions.write_digest()
    elif changes:
        return 1
    if fault := versions.find_fault():
        print(f"golden: {fault}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
