"""Every pattern that the pure rooms use on the text of documents: twice the text takes at most two and a half times.

Patterns are found by walking the modules, so a new one is held to it without a line here; those of the scan for
personal data look only around what a shape finds, so the scan is held to it whole. How a pattern is used
(searched, or matched at one place only) is read from the source.
"""

import ast
import importlib
import pkgutil
import re
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from functools import cache, partial
from pathlib import Path
from statistics import median

import pytest

import quire.models
from quire.models.cdom.tree import BlockType
from quire.models.derive.document_fields import find_fields
from quire.models.derive.semantics import find_mentions
from quire.models.export.html import tree_to_html
from quire.models.export.markdown import tree_to_markdown
from quire.models.pii.flagging.flag import flag_tree
from quire.models.pii.patterns.kind_patterns import RegexDetector
from tests.builders import make_block, make_tree

ROOT = Path(quire.models.__file__).parent
SEARCHES = frozenset({"search", "finditer", "findall", "sub", "subn", "split"})
MATCHES = frozenset({"match", "fullmatch"})
UNITS = (
    "QUJD", "a", "A", "1", "1 ", "1,", "1.", "-", "- ", " ", "\n", "\t", "a ", "A ", "Aa ", "A. ", "a.", "a@", "a@b.",
    "@", ".", "(", "[", "[1,", "'", "/", "a/", "<", ":", "a: ", "& ", "Aa, ", "+1 ", "$1 ", "€ 1 ", "Mr ", "Dr. Aa ",
    "http://", "https://a.", "1-2-", "12/", "Jan 1 ", "aA1", "é", "x=", "| ", "•", "_", "*", "`", "#", "00 ", "Fig",
    "Section 1.", "\u00a0", "ABCDEF ", "Aa-", "a-\n", "1\n", "A\n", "DE", "GB1 ", "key=", "AKIA", "{", "0x", "1A ",
    "IV", "No. ", "page 1 of ", "\\", "$", "^", "~", "☐ ", "GmbH ", "Co. ", "Aa & ",
)  # fmt: skip
SHORT = 1_000  # characters: a quadratic pattern takes at least 5 ms of CPU here, a linear one 0.2 ms
LOOK_AT_S = 0.002  # CPU seconds for SHORT, below which nothing is quadratic
SHORT_TEXTS_ONLY = frozenset({"quire.models.extract.layout.text.furniture._NUMBERED_EDGE"})
"""Asked only of texts under 80 characters, by the line that uses it."""
MOST = 2.5  # times longer for twice the text
LOOKS = 15  # ratios of which the middle one counts, where the first was too large


def _modules() -> Iterator[str]:
    for found in pkgutil.walk_packages([str(ROOT)], "quire.models."):
        if not found.ispkg:
            yield found.name


def _dig(value: object, depth: int = 0) -> Iterator[re.Pattern[str]]:
    if isinstance(value, re.Pattern) and isinstance(value.pattern, str):
        yield value
    elif depth < 4 and isinstance(value, tuple | list | set | frozenset):
        for item in value:
            yield from _dig(item, depth + 1)
    elif depth < 4 and isinstance(value, dict):
        for item in value.values():
            yield from _dig(item, depth + 1)


@cache
def _patterns() -> dict[str, re.Pattern[str]]:
    """Pattern by `module.NAME`; a pattern that several modules import is there once."""
    found: dict[re.Pattern[str], str] = {}
    for name in _modules():
        for attribute, value in vars(importlib.import_module(name)).items():
            for pattern in _dig(value):
                found.setdefault(pattern, f"{name}.{attribute}")
    named: dict[str, re.Pattern[str]] = {}
    for pattern, where in found.items():
        named[where if where not in named else f"{where}#{len(named)}"] = pattern
    return named


@cache
def _methods() -> dict[str, set[str]]:
    """Pattern name → the methods of it that are called in the pure rooms; of a private name, in its own module."""
    called: dict[str, set[str]] = defaultdict(set)
    for path in ROOT.rglob("*.py"):
        module = ".".join(("quire", "models", *path.relative_to(ROOT).with_suffix("").parts))
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Attribute) and node.attr in SEARCHES | MATCHES:
                name = node.value.attr if isinstance(node.value, ast.Attribute) else getattr(node.value, "id", "")
                called[f"{module}.{name}" if name.startswith("_") else name].add(node.attr)
    return called


def _cpu_s(pattern: re.Pattern[str], text: str, *, searched: bool) -> float:
    started = time.thread_time()
    if searched:
        for _ in pattern.finditer(text):
            pass
    else:
        pattern.match(text)
        pattern.fullmatch(text)
    return time.thread_time() - started


def _text(unit: str, size: int) -> str:
    return (unit * (size // len(unit) + 1))[:size]


def _doubling(pattern: re.Pattern[str], unit: str, *, searched: bool) -> float:
    """Time at 2n over time at n; 1 where the text takes no time worth a look."""
    if any(_cpu_s(pattern, _text(unit, SHORT), searched=searched) < LOOK_AT_S for _ in range(LOOKS)):
        return 1.0  # what takes long sometimes was interrupted
    return _ratio(lambda text: _cpu_s(pattern, text, searched=searched), unit, SHORT)


def _ratio(cpu_s: Callable[[str], float], unit: str, size: int) -> float:
    """Time at twice the size over time at `size`, side by side; where that is too much, the median of `LOOKS`.

    A core whose other half is busy is a quarter slower: the two of a pair meet the same, the least of many do not.
    """

    def look() -> float:
        return cpu_s(_text(unit, 2 * size)) / cpu_s(_text(unit, size))

    first = look()
    return first if first <= MOST else median(look() for _ in range(LOOKS))


def test_the_walk_finds_the_patterns() -> None:
    assert len(_patterns()) > 150
    assert "quire.models.derive.semantics.ORGANIZATION" in _patterns()


@pytest.mark.parametrize("name", sorted(set(_patterns()) - SHORT_TEXTS_ONLY))
def test_no_pattern_takes_more_than_its_text(name: str) -> None:
    where = name.split("#")[0]
    bare = where.rsplit(".", 1)[1]
    used = _methods().get(where if bare.startswith("_") else bare, SEARCHES)
    slow = {
        unit: ratio
        for unit in UNITS
        if (ratio := _doubling(_patterns()[name], unit, searched=not used <= MATCHES)) > MOST
    }
    assert not slow


def test_a_quadratic_pattern_would_be_found() -> None:
    pattern = re.compile(r"(?:[A-Z][\w'’-]+[,&]?\s+){1,5}GmbH")
    looks = (_ratio(lambda text: _cpu_s(pattern, text, searched=True), "QUJD", SHORT) for _ in range(LOOKS))
    assert any(look > MOST for look in looks)


DETECTOR = RegexDetector()
STAGES: dict[str, Callable[[str], object]] = {
    "mentions": lambda text: list(find_mentions(text)),
    "fields": lambda text: find_fields(make_tree(make_block(BlockType.PARAGRAPH, text))),
    "personal data": lambda text: flag_tree(make_tree(make_block(BlockType.PARAGRAPH, text)), detector=DETECTOR),
    "markdown": lambda text: tree_to_markdown(make_tree(make_block(BlockType.PARAGRAPH, text))),
    "html": lambda text: tree_to_html(make_tree(make_block(BlockType.PARAGRAPH, text))),
}
STAGE_CHARS = 6_000  # a quadratic stage takes at least 100 ms of CPU here, as the names did with 500
STAGE_LOOK_S = 0.05


@pytest.mark.parametrize("stage", STAGES)
def test_no_stage_takes_more_than_its_text(stage: str) -> None:
    slow = {unit: ratio for unit in UNITS if (ratio := _stage_doubling(STAGES[stage], unit)) > MOST}
    assert not slow


def _stage_doubling(stage: Callable[[str], object], unit: str) -> float:
    if _stage_s(stage, _text(unit, STAGE_CHARS)) < STAGE_LOOK_S:
        return 1.0
    return _ratio(partial(_stage_s, stage), unit, STAGE_CHARS)


def _stage_s(stage: Callable[[str], object], text: str) -> float:
    started = time.thread_time()
    stage(text)
    return time.thread_time() - started
