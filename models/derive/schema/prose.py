"""Reads running text: roles, definitions and measures of sentences, and the entries of a section as rows.

`X, as Borrower`, `X (the "Agent")`, `"Term" means …`; posts under `Experience`. An entry has a period or a year,
and what else it says is parted by commas, dots and bars.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from quire.models.cdom.tree import BlockType
from quire.models.derive.fields.fragments import HEADS, Fragment
from quire.models.derive.fields.letterhead import LEGAL_FORM
from quire.models.derive.fields.values import MONTHS
from quire.models.derive.schema.columns import is_typed
from quire.models.derive.schema.nodes import ArrayNode, Leaf
from quire.models.derive.schema.phrases import PhraseIndex, plain_words, split_name
from quire.models.derive.schema.sources import TextSource, source_of
from quire.models.derive.schema.tables import TableRow

_MEASURE = re.compile(
    r"(?<![\w.,])(?P<number>\d{1,4})\s(?:\w{1,40}\s)?(?P<unit>days?|weeks?|months?|years?)\b", re.IGNORECASE
)
_BREAK = re.compile(r"[.;\n]")
MAX_BEFORE, MAX_BEHIND = 100, 80
"""Characters of a sentence before and behind a measure that tell what it measures."""
_VALUE = re.compile(r"\s(?:of|is|are|was|amounts to|equals|:|shall be)\s(?P<value>[^.;\n]{1,60}(?:\.\d[^.;\n]{0,20})?)")
MAX_TEXT = 20_000  # characters of a paragraph that is searched
_OPEN, _CLOSE = '["“„«]', '["”“»]'
_CAPITAL = r"[A-Z][\w&.'’-]{0,40}"
_NAME = (
    rf"(?<![\w&.'’-])(?P<name>{_CAPITAL}(?:[ \t\n](?:{_CAPITAL}|of|and|de|du|der|von|van|&)){{0,7}}"
    r"(?:, (?:Inc|Ltd|LLC|L\.P|N\.A|S\.A|GmbH)\.?)?)"
)
_ROLE = re.compile(_NAME + r",? as (?:the |an? )?(?P<role>[A-Z][\w-]{0,40}(?: [A-Z][\w-]{0,40}){0,3})")
_NAMED = re.compile(
    _NAME
    + r"(?:(?! and | or | between |\n\n)[^()]){0,80}\((?:the |an? |together, )?"
    + rf"{_OPEN}(?:the )?(?P<role>[^\"”“»()]{{2,40}}){_CLOSE}"
)
_TERM = re.compile(
    rf"{_OPEN}(?P<role>[^\"”“»()]{{2,60}}){_CLOSE}[, ]{{1,2}}(?:means|shall mean|refers to|is)[ :,]{{1,2}}"
    r"(?P<name>[^;\n]{2,300}?)(?:[.;](?=\s|$)|$)"
)


@dataclass(frozen=True, slots=True)
class Stated:
    """A role or term and the range of the text that it names."""

    label: str
    start: int
    end: int


def find_stated(text: str) -> Iterator[Stated]:
    """Yield the roles and definitions of a text in order of the patterns."""
    if len(text) > MAX_TEXT:
        return
    patterns = [_ROLE] if " as " in text else []
    patterns += [_NAMED] if "(" in text else []
    patterns += [_TERM] if any(mark in text for mark in '"“„«') else []
    for pattern in patterns:
        for match in pattern.finditer(text):
            yield Stated(match["role"].strip(), match.start("name"), match.end("name"))


def find_measures(text: str, leaves: PhraseIndex[Leaf]) -> Iterator[Stated]:
    """Yield numbers of days, months or years in sentences about a leaf, and values behind its name.

    `continues for 36 months` states `term_months`: the leaf's name has the unit, and no other of its words is foreign
    to the sentence, or the sentence is the only one with the unit.
    """
    if not MIN_SENTENCE <= len(text) <= MAX_TEXT or " " not in text.strip():
        return
    for match in _MEASURE.finditer(text):
        unit = plain_words(match["unit"])[0]
        wanted = [
            (leaf, words)
            for leaf, words in leaves.named
            if unit in words and leaf.kinds[:1] in (("integer",), ("number",))
        ]
        if not wanted:
            continue
        around = _BREAK.split(text[max(0, match.start() - MAX_BEFORE) : match.start()])[-1]
        behind = _BREAK.split(text[match.end() : match.end() + MAX_BEHIND])[0]
        stems = {word[:5] for word in (*plain_words(around), *plain_words(behind))}
        for leaf, words in wanted:
            rest = [word for word in words if word != unit]
            named = sum(word[:5] in stems or any(stem[:4] == word[:4] for stem in _ALIKE.get(word, ())) or
                        any(other[:5] in stems for other in _ALIKE.get(word, ())) for word in rest)  # fmt: skip
            if not rest or named:
                yield Stated(split_name(leaf.name), match.start("number"), match.end("number"))
    lowered = text.casefold()
    for leaf, words in leaves.named if len(lowered) == len(text) else ():
        phrase = _phrase_of(leaf.name)
        at = lowered.find(phrase) if len(words) > 1 else -1
        value = _VALUE.match(text, at + len(phrase)) if at >= 0 else None
        if value is not None:
            yield Stated(phrase, value.start("value"), value.end("value"))


@lru_cache(maxsize=2_000)
def _phrase_of(name: str) -> str:
    return split_name(name).casefold()


_ALIKE = {
    "term": ("force", "continue", "duration", "remain", "period"), "duration": ("term", "continue", "force"),
    "notice": ("terminate", "written"), "payment": ("pay", "payable", "due"), "warranty": ("guarantee",),
}  # fmt: skip
"""Words of sentences that speak of a leaf without its name."""
MIN_SENTENCE = 20  # characters of a sentence


MAX_ENTRY = 2_000  # characters of a fragment that may hold entries
HEADING_FIT = 0.8
"""Minimum fit of a heading to the name of the array."""
STATED, ORDERED = 0.9, 0.75
"""Fit of a period and of texts by their order."""
_MONTH = "|".join(sorted(map(re.escape, MONTHS), key=len, reverse=True))
_DAY = rf"(?:(?:{_MONTH})\b\.?\s|\d{{1,2}}[./])?(?:19|20)\d\d"
_NOW = (
    r"present|now|today|current|ongoing|heute|jetzt|aujourd'hui|présent|actualidad|presente|oggi|heden|nu|atual|obecnie"
)
_PERIOD = re.compile(
    rf"(?<![\w.,/])(?P<start>{_DAY})\s?(?:[–—-]|to|until|bis|au|à|al|tot|do)\s?(?P<end>{_DAY}|(?:{_NOW}))(?![\w/])",
    re.IGNORECASE,
)
_YEAR = re.compile(rf"(?<![\w.,/–-])(?P<start>{_DAY})(?![\w/])", re.IGNORECASE)
_PART = re.compile(r"(?:[^·|•;,\t\n–—@-]|(?<=\S)[–—-](?=\S)|,(?!\s))+")
_STARTS = frozenset({"start", "from", "begin", "beginning", "since"})
_ENDS = frozenset({"end", "to", "until", "through", "finish", "graduation", "year", "date"})
_PERIODS = frozenset({"period", "duration", "dates", "time", "when"})
_FIRMS = frozenset(
    {"employer", "company", "organisation", "institution", "school", "university", "firm", "college", "at", "where"}
)
_SCHOOL = re.compile(
    r"\b(?:univ|college|school|institut|akademi|académie|hochschule|lycée|polit[eé]cnic)", re.IGNORECASE
)


@dataclass(slots=True)
class _Dated:
    """The start and the end of a period as sources, and the texts around it."""

    start: TextSource | None = None
    end: TextSource | None = None
    whole: TextSource | None = None
    texts: list[TextSource] = field(default_factory=list)
    details: list[TextSource] = field(default_factory=list)


def read_section_rows(
    fragments: Sequence[Fragment], array: ArrayNode, index: PhraseIndex[ArrayNode], leaves: Sequence[Leaf]
) -> list[TableRow]:
    """Return the entries of the section whose heading names the array; none without one."""
    best, found = HEADING_FIT, None
    for number, fragment in enumerate(fragments):
        if fragment.type in HEADS:
            fit = next((fit.score for fit in index.fits(fragment.text) if fit.owner is array), 0.0)
            if fit >= best and (found is None or fit > best):
                best, found = fit, number
    if found is None:
        return []
    body: list[Fragment] = []
    for fragment in fragments[found + 1 :]:
        if fragment.type in HEADS and not (body and _YEAR.search(fragment.text)):
            break
        body.append(fragment)
    pattern = _PERIOD if any(_PERIOD.search(fragment.text[:MAX_ENTRY]) for fragment in body) else _YEAR
    entries = [entry for entry in _read_entries(body, pattern) if entry.whole is not None and entry.texts]
    return list(_fill(entries, leaves)) if len(entries) * 2 > len(body) // 4 else []


def _read_entries(body: Sequence[Fragment], pattern: re.Pattern[str]) -> Iterator[_Dated]:
    """Yield the entries: each begins with its period, or ends with it, as the first one does."""
    tokens = [token for fragment in body for token in _split(fragment, pattern)]
    leads = bool(tokens) and isinstance(tokens[0], _Dated)
    entry = _Dated()
    for token in tokens:
        if isinstance(token, _Dated):
            if leads and entry.whole is not None:
                yield entry
                entry = _Dated()
            token.texts = entry.texts
            entry = token
        elif token.is_item and (entry.texts or leads):
            entry.details.append(token.source)
        else:
            if not leads and entry.whole is not None:
                yield entry
                entry = _Dated()
            entry.texts += _parts(token.source)
        if not leads and isinstance(token, _Dated) and not token.texts:
            entry = _Dated()
    if entry.whole is not None:
        yield entry


@dataclass(frozen=True, slots=True)
class _Text:
    source: TextSource
    is_item: bool


def _split(fragment: Fragment, pattern: re.Pattern[str]) -> Iterator[_Dated | _Text]:
    """Yield the periods of a line and the texts between them, in order."""
    source, at = source_of(fragment), 0
    is_item = fragment.type is BlockType.LIST_ITEM
    for match in pattern.finditer(fragment.raw[:MAX_ENTRY]) if not is_item else ():
        if any(map(str.isalpha, source.text[at : match.start()])):
            yield _Text(source.cut(at, match.start()), is_item=False)
        end = source.cut(match.start("end"), match.end("end")) if pattern is _PERIOD else None
        yield _Dated(source.cut(match.start("start"), match.end("start")), end, source.cut(match.start(), match.end()))
        at = match.end()
    if any(map(str.isalpha, source.text[at:])):
        yield _Text(source.cut(at, len(source.text)), is_item=is_item)


def _parts(source: TextSource) -> Iterator[TextSource]:
    """Yield the parts of a text; a legal form behind a comma belongs to the name before it."""
    ends: list[tuple[int, int]] = []
    for match in _PART.finditer(source.text):
        part = match.group().strip(" :()")
        if not any(map(str.isalpha, part)):
            continue
        if ends and LEGAL_FORM.fullmatch(part):
            ends[-1] = (ends[-1][0], match.end())
        else:
            ends.append((match.start(), match.end()))
    for start, end in ends:
        text = source.text[start:end]
        left = len(text) - len(text.lstrip(" :()"))
        yield source.cut(start + left, start + len(text.rstrip(" :(")))


def _fill(entries: Sequence[_Dated], leaves: Sequence[Leaf]) -> Iterator[TableRow]:
    """Yield the rows: periods by the words of the leaves' names, texts by their order; firms by their form."""
    words = {leaf: set(plain_words(split_name(leaf.name))) for leaf in leaves}
    starts, ends, periods = ([leaf for leaf in leaves if words[leaf] & named] for named in (_STARTS, _ENDS, _PERIODS))
    free = [leaf for leaf in leaves if not is_typed(leaf) and leaf not in (*starts, *ends, *periods)]
    firm = next((leaf for leaf in free if words[leaf] & _FIRMS), None)
    place = _place_of_firms(entries) if firm is not None else None
    for entry in entries:
        cells: dict[Leaf, TextSource] = {}
        for wanted, source in ((starts, entry.start), (ends, entry.end or entry.start), (periods, entry.whole)):
            for leaf in wanted if source is not None else ():
                cells.setdefault(leaf, source)  # type: ignore[arg-type]
        texts = list(entry.texts)
        if firm is not None and place is not None and place < len(texts):
            cells[firm] = texts.pop(place)
        cells |= dict(zip([leaf for leaf in free if leaf not in cells], texts, strict=False))
        for leaf in free:
            if leaf not in cells and entry.details:
                cells[leaf] = entry.details[0]
        whole = len(entry.texts) <= len(free)
        yield TableRow(cells, len(leaves), texts[0].text if texts else "", False, STATED if whole else ORDERED)


def _place_of_firms(entries: Sequence[_Dated]) -> int | None:
    """Return which text of the entries is most often a firm or a school."""
    counts: dict[int, int] = {}
    for entry in entries:
        for number, source in enumerate(entry.texts):
            if LEGAL_FORM.search(source.text) or _SCHOOL.search(source.text):
                counts[number] = counts.get(number, 0) + 1
    return max(counts, key=lambda number: (counts[number], -number)) if counts else None
