"""First names and family names of some forty countries, also with the endings of cases.

The lists are names of Faker's providers (MIT licence), folded to small letters without accents.
"""

import unicodedata
from functools import lru_cache
from pathlib import Path

MOST_WORDS = 50_000
"""Words whose answers are cached."""
LEAST_LETTERS = 5
"""Letters of the shortest word that may be a name with an ending."""
_PLAIN = str.maketrans("łøđıæœаеорсухіјвкмнт", "lodiaoaeopcyxijbkmht")
"""Letters that look alike in capitals are one."""


@lru_cache(MOST_WORDS)
def fold(word: str) -> str:
    """Return the word in small letters without accents."""
    small = word.casefold()
    if small.isascii():
        return small
    marks = unicodedata.normalize("NFKD", small)
    return "".join(char for char in marks if not unicodedata.combining(char)).translate(_PLAIN)


def _fold_all(words: str) -> tuple[str, ...]:
    return tuple(map(fold, words.split()))


_GIVEN, _FAMILY = (
    frozenset(_fold_all(Path(__file__).with_name(f"{kind}_names.txt").read_text(encoding="utf-8")))
    for kind in ("given", "family")
)
_STEMS = ("", *_fold_all("a o y i e ia а я й"))
"""Ends of first names that an ending of a case replaces."""
ENDINGS = _fold_all(
    "a e i y o u em om owi ego emu im ym ie ia iego iem iu ou ovi ej oj ow ovou ove ami n in lle lla lta ssa sta ta ksi"
    " а е и ы у ю я ой ей ем ом ым им ого ому"
)
"""Endings of cases in Slavic languages and Finnish."""
_FAMILY_ENDS = _fold_all(
    "ski ska sky skiego skiej skim ska cki cka cky ckiego ckiej ckim ova ove ovou vic wicz wicza enko sson ssen sen mann nen sen"
    " ez kis idis poulos yan berg stein baum dottir escu oglu dze shvili chuk czyk czyka burger huber meier meyer maier iak ek owej"
    " ов ев ин ова ева ина овой евой иной ову еву ину овым евым иным ову еву ский ская ского ской ским"
)


def is_given(word: str) -> bool:
    """Return whether the word is a first name."""
    return fold(word) in _GIVEN


@lru_cache(MOST_WORDS)
def is_given_in_case(word: str) -> bool:
    """Return whether the word is a first name with the ending of a case."""
    small = fold(word)
    return len(small) >= LEAST_LETTERS and any(
        small.endswith(ending) and _has_stem(small.removesuffix(ending)) for ending in ENDINGS
    )


def _has_stem(stem: str) -> bool:
    if len(stem) + 2 < LEAST_LETTERS:
        return False
    forms = (f"{stem[:-1]}e{stem[-1]}", f"{stem[:-1]}{stem[-2:]}", f"{stem[:-1]}ka", *(stem + end for end in _STEMS))
    return not _GIVEN.isdisjoint(forms)


def is_family(word: str) -> bool:
    """Return whether the word is a frequent family name."""
    return fold(word) in _FAMILY


def ends_as_family(word: str) -> bool:
    """Return whether the word has the ending of family names."""
    return len(word) > LEAST_LETTERS and fold(word).endswith(_FAMILY_ENDS)
