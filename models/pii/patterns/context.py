"""Words that must stand just before a value whose own shape says too little."""

import re
from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass

from models.pii.patterns.clues import Clues

CONTEXT_REACH = 48
"""Characters before a value in which such a word must stand."""


@dataclass(frozen=True, slots=True)
class ContextWords:
    """`words`: from a plain lower-case string that is part of the word to the word as a pattern."""

    words: Mapping[str, re.Pattern[str]]

    def is_preceded(self, clues: Clues, start: int) -> bool:
        """Return True when one of the words ends within reach of the value at `start`."""
        first = max(0, start - CONTEXT_REACH)
        hinted = clues.hinted(self.hints)
        if bisect_left(hinted, first) == bisect_left(hinted, start):
            return False
        near = clues.lower[first:start]
        return any(hint in near and word.search(clues.text, first, start) for hint, word in self.words.items())

    @property
    def hints(self) -> tuple[str, ...]:
        """Return the hints; a text without any of them has no context word."""
        return tuple(self.words)


def _context(words: Mapping[str, str]) -> ContextWords:
    """From hint → the word as a pattern."""
    return ContextWords({hint: re.compile(f"(?i){word}") for hint, word in words.items()})


BIRTH = _context(
    {
        "birth": "birth",
        "born": r"\bborn\b",
        "dob": r"\bdob\b",
        "nascid": r"\bnascid[oa]\b",
        "d.o.b": r"d\.o\.b",
        "né": r"\bnée?\b",
        "naissance": "naissance",
        "geboren": "geboren",
        "geburts": "geburts",
        "nacimiento": "nacimiento",
        "nacid": r"\bnacid[oa]\b",
        "nato ": r"\bnato (?:il|a)\b",
        "nata ": r"\bnata (?:il|a)\b",
        "nascita": "nascita",
        "nascimento": "nascimento",
        "geboorte": "geboorte",
    }
)
SOCIAL = _context({"ssn": r"\bssn\b", "social security": "social security", "soc": r"soc\.? ?sec"})
NATIONAL = _context(
    {
        "national": "national",
        "identi": "identi",
        "id": r"\bid\b",
        "citizen": "citizen",
        "insurance": "insurance",
        "personal n": "personal n",
        "personnummer": "personnummer",
        "cpr": r"\bcpr\b",
        "cpf": r"\bcpf\b",
        "nif": r"\bnif\b",
        "bsn": r"\bbsn\b",
        "pesel": "pesel",
        "aadhaar": "aadhaar",
        "steuer": "steuer",
        "codice fiscale": "codice fiscale",
        "sécurité sociale": "sécurité sociale",
        "nir": r"\bnir\b",
        "dni": r"\bdni\b",
        "nie": r"\bnie\b",
        "ahv": r"\bahv\b",
        "avs": r"\bavs\b",
        "nhs": r"\bnhs\b",
        "nino": "nino",
        "hetu": "hetu",
        "rijksregister": "rijksregister",
    }
)
PASSPORT = _context(
    {
        word: word
        for word in (
            "passport",
            "passeport",
            "reisepass",
            "pasaporte",
            "passaporto",
            "paspoort",
            "passaporte",
            "paszport",
        )
    }
)
PLATE = _context(
    {
        "plate": r"\bplate\b",
        "registration n": "registration n",
        "immatriculation": "immatriculation",
        "kennzeichen": "kennzeichen",
        "matrícula": "matrícula",
        "targa": r"\btarga\b",
        "kenteken": "kenteken",
    }
)
