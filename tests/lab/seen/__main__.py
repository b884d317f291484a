"""`python -m tests.lab.seen pages|mails|FOLDER [--seeds FIRST LAST]`: words and order of Chromium and of trees.

Prints the share of files at .95 and the mean of both figures, and the words missing or too many by class of content.
"""

import argparse
import base64
import re
import sys
from collections import Counter
from collections.abc import Iterator
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any

from quire.models.cdom.flags import HIDDEN_TEXT
from quire.models.cdom.tree import BlockType, Tree
from quire.models.extract.formats.mail.bodies import part_text
from quire.models.extract.formats.mail.mime import parse_message
from tests.lab.seen.made_pages import make_mail, make_page
from tests.models.extract.flow_trees import read_tree
from tests.ui.browser.chromium import Browser, chromium

WORD = re.compile(r"\w+")
_NO_SCRIPT = re.compile(r"<noscript\b.*?</noscript\s*>", re.DOTALL | re.IGNORECASE)
FLOOR = 0.95
_SHOW_ALL = """(() => {
    for (const one of document.querySelectorAll('details')) one.open = true;
    for (const one of document.querySelectorAll('tfoot')) one.parentNode.append(one);
    for (const one of document.querySelectorAll('input, textarea, select')) {
        const text = one.tagName === 'SELECT' ? (one.selectedOptions[0] || {}).text : one.value;
        const shown = document.createElement('span');
        shown.textContent = ' ' + (['hidden', 'checkbox', 'radio', 'password'].includes(one.type) ? '' : text) + ' ';
        one.replaceWith(shown);
    }
})()"""
"""Details are opened as a reader may open them; a snapshot has feet of tables where the source has, and no values."""


def draw(browser: Browser, page: str) -> list[str]:
    """The words that the browser shows, in the order of its boxes; nothing is fetched and no script runs."""
    data = base64.b64encode(_NO_SCRIPT.sub("", page).encode()).decode()
    browser.call("Page.navigate", url=f"data:text/html;charset=utf-8;base64,{data}")
    browser.until("location.href !== 'about:blank'")
    browser.run(_SHOW_ALL)
    drawn = browser.call(
        "DOMSnapshot.captureSnapshot", computedStyles=["visibility", "font-size", "content-visibility"]
    )
    return [word for text in _texts(drawn, 0) for word in WORD.findall(text.casefold())]


def _texts(drawn: dict[str, Any], document: int) -> Iterator[str]:
    """Texts of a document and of the frames in it, where they stand."""
    strings, page = drawn["strings"], drawn["documents"][document]
    frames = page["nodes"]["contentDocumentIndex"]
    inside = dict(zip(frames["index"], frames["value"], strict=True))
    layout, places = page["layout"], _places(page["nodes"], strings)
    for place, node in sorted(enumerate(layout["nodeIndex"]), key=lambda pair: places[pair[1]]):
        shown = [strings[number] for number in layout["styles"][place]]
        text = layout["text"][place]
        if node in inside:
            yield from _texts(drawn, inside[node])
        elif text >= 0 and shown[:1] != ["hidden"] and shown[1:2] != ["0px"]:
            yield strings[text]


def _places(nodes: dict[str, Any], strings: list[str]) -> dict[int, int]:
    """The place of each node; a snapshot states what stands after the content of an element before that content."""
    pseudo = {
        node: strings[name]
        for node, name in zip(nodes["pseudoType"]["index"], nodes["pseudoType"]["value"], strict=True)
    }
    children: dict[int, list[int]] = {}
    for node, parent in enumerate(nodes["parentIndex"]):
        children.setdefault(parent, []).append(node)
    places: dict[int, int] = {}
    waiting = [-1]
    while waiting:
        node = waiting.pop()
        places[node] = len(places)
        waiting += sorted(children.get(node, ()), key=lambda one: (pseudo.get(one) == "after", one), reverse=True)
    return places


def words_of(tree: Tree, *, body: bool = False) -> list[str]:
    """The words that the tree shows, in order."""
    texts: list[str] = []
    tables = {block.id for block in tree.blocks if block.table is not None}
    for block in tree.blocks:
        is_twice = block.parent in tables and block.type is not BlockType.CAPTION  # its cell has its words too
        if (
            is_twice
            or block.type is BlockType.PICTURE
            or HIDDEN_TEXT in block.flags
            or (body and not (block.provenance.path or "").startswith("body"))
        ):
            continue
        texts.append(block.text)
        if block.table is not None:
            texts += [cell.text for cell in block.table.cells]
    return [word for text in texts for word in WORD.findall(text.casefold())]


def compare(seen: list[str], read: list[str]) -> tuple[float, float]:
    """F1 of the words, and the share of the common words that are in the same order."""
    common = sum((Counter(seen) & Counter(read)).values())
    if not seen and not read:
        return 1.0, 1.0
    in_order = sum(block.size for block in SequenceMatcher(None, seen, read, autojunk=False).get_matching_blocks())
    return 2 * common / (len(seen) + len(read)), in_order / common if common else 0.0


def _files(what: str, seeds: range) -> Iterator[tuple[str, bytes, str, dict[str, str]]]:
    if what == "pages":
        for seed in seeds:
            page, words = make_page(seed)
            yield str(seed), page.encode(), page, words
    elif what == "mails":
        for seed in seeds:
            yield str(seed), *make_mail(seed)
    else:
        for path in sorted(path for path in Path(what).rglob("*") if path.suffix in (".html", ".htm", ".eml")):
            data = path.read_bytes()
            page = data.decode("utf-8", "replace")
            if path.suffix == ".eml":
                found = next((part for part in parse_message(data).walk() if part.kind == "text/html"), None)
                if found is None:
                    continue
                page = part_text(found)
            yield path.name, data, page, {}


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.lab.seen", description=__doc__)
    parser.add_argument("what", help="pages, mails or a folder of .html and .eml files")
    parser.add_argument("--seeds", type=int, nargs=2, default=(1, 200), metavar=("FIRST", "LAST"))
    parser.add_argument("--show", type=int, default=0, help="print the words of this many bad files")
    chosen = parser.parse_args()
    figures: list[tuple[float, float]] = []
    missing: Counter[str] = Counter()
    extra: Counter[str] = Counter()
    bad: Counter[str] = Counter()
    total: Counter[str] = Counter()
    with chromium() as browser:
        browser.screen(1280, 900, dark=False)
        browser.call("Network.enable")
        browser.call("Network.setBlockedURLs", urls=["http://*", "https://*", "file://*"])
        for name, data, page, classes in _files(chosen.what, range(chosen.seeds[0], chosen.seeds[1] + 1)):
            seen = draw(browser, page)
            read = words_of(read_tree(data), body=chosen.what == "mails" or name.endswith(".eml"))
            words, order = compare(seen, read)
            figures.append((words, order))
            lost, more = Counter(seen) - Counter(read), Counter(read) - Counter(seen)
            for word, count in lost.items():
                missing[classes.get(word, "other")] += count
            for word, count in more.items():
                extra[classes.get(word, "other")] += count
            kinds = {classes.get(word, "other") for word in [*lost, *more]}
            total.update(set(classes.values()))
            bad.update(kinds)
            if min(words, order) < FLOOR:
                print(f"{name}: words {words:.3f} order {order:.3f} {sorted(kinds)}")
                if chosen.show:
                    chosen.show -= 1
                    print("  missing", list(lost)[:20], "\n  extra", list(more)[:20])
    both = sum(min(pair) >= FLOOR for pair in figures)
    print(f"{len(figures)} files: words {sum(w for w, _ in figures) / len(figures):.4f}, order "
          f"{sum(o for _, o in figures) / len(figures):.4f}, at {FLOOR} both: {both}")  # fmt: skip
    for kind in sorted(set(total) | set(bad), key=lambda kind: -bad[kind]):
        print(f"  {kind}: {bad[kind]} of {total[kind]} pages wrong, missing {missing[kind]}, extra {extra[kind]}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
