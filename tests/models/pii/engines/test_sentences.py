"""Texts by class and language: some without personal data, and some with it."""

import re
from functools import cache

import pytest

from quire.models.cdom.tree import Block
from quire.models.pii.engines.name_lists import is_given, is_given_in_case
from quire.models.pii.engines.tagger import NamesDetector, make_names
from quire.models.pii.flagging.flag import flag_tree
from quire.models.pii.kinds import Hit, Kind
from quire.models.pii.normalise import normalise
from quire.models.pii.patterns.kind_patterns import RegexDetector
from quire.models.pii.redact import redact_tree
from tests.models.pii.engines.planted import LANGUAGES, make_planted
from tests.models.pii.engines.sentences import FALSE, list_other_scripts, make_addresses, make_false
from tests.models.pii.engines.sentences import make_names as make_named_texts

VARIANTS = 40
LEAST_RIGHT = 0.9
NAMES = frozenset((Kind.PERSON, Kind.ADDRESS, Kind.LOCATION, Kind.ORGANIZATION))
HINTS = (
    "Password: required", "Password: Enter your password", "Password: string", "Passwort: erforderlich", "Passwort: bitte eingeben",
    "Kennwort = siehe Anlage", "Contraseña: obligatorio", "Hasło: wymagane", "Wachtwoord: vereist", "Mot de passe : saisir",
    "The password: user types it.", "Password | Description", "password: <string>", "Password: ********", "Password: none",
    "Password: optional", "password = null", "Passwort: mindestens acht Zeichen", "Password: must be changed", "Password: (hidden)",
)  # fmt: skip
PASSWORDS = (
    "Passwort: sonne", "Passwort = mond\nDatum", "password: hunter", "Wachtwoord: roos", "Hasło: kotek", "mot de passe : soleil",
    "Contraseña: gatito", "Kennwort: Sommer7", "Password: tiger", "Passwort: Blume.", "pwd: qwert", "Passphrase: apfelbaum",
    "Passwort: xK9!mm", "Password: \"lunch\"", "senha: amigo", "Heslo: kocka", "Lösenord: blomma", "Salasana: koira1", "Jelszó: cica1",
    "Passwort: regen, bitte notieren",
)  # fmt: skip


@cache
def names() -> NamesDetector:
    return make_names(urls=False)


def found(text: str) -> list[tuple[Kind, str]]:
    copy = normalise(text)
    return [(hit.kind, text[slice(*copy.original_span(hit.start, hit.end))]) for hit in names().detect(copy.text)]


def hides(text: str, value: str, hits: list[Hit]) -> bool:
    copy, masked = normalise(text), list(text)
    for hit in hits:
        first, end = copy.original_span(hit.start, hit.end)
        masked[first:end] = " " * (end - first)
    start = text.index(value)
    return not any(map(str.isalnum, masked[start : start + len(value)]))


@pytest.mark.parametrize("kind", FALSE)
def test_words_without_a_person_stay(kind: str) -> None:
    texts = dict(make_false(kind, VARIANTS))
    wrong = [text for text in texts if any(flagged in NAMES for flagged, _ in found(text))]
    assert len(wrong) <= (1 - LEAST_RIGHT) * len(texts), wrong


def test_names_in_other_sentences_are_found() -> None:
    texts = dict(make_named_texts(80))
    missed = [text for text, name in texts.items() if not hides(text, name, names().detect(normalise(text).text))]
    assert len(missed) <= 0.02 * len(texts), missed


@pytest.mark.parametrize(("text", "name"), list_other_scripts())
def test_name_in_another_script_is_found(text: str, name: str) -> None:
    assert hides(text, name, names().detect(normalise(text).text))


def test_address_is_one_finding() -> None:
    texts = dict(make_addresses(80))
    places = {text: [kind for kind, _ in found(text) if kind in (Kind.ADDRESS, Kind.LOCATION)] for text in texts}
    assert [
        text for text, address in texts.items() if not hides(text, address, names().detect(normalise(text).text))
    ] == []
    assert [text for text, kinds in places.items() if kinds != [Kind.ADDRESS]] == []


@pytest.mark.parametrize("text", HINTS)
def test_word_about_a_password_is_none(text: str) -> None:
    assert [hit.kind for hit in RegexDetector().detect(text)] == []


@pytest.mark.parametrize("text", PASSWORDS)
def test_password_that_is_a_word_is_found(text: str) -> None:
    assert [hit.kind for hit in RegexDetector().detect(text)] == [Kind.SECRET]


def test_tail_of_an_address_is_not_joined_with_the_next_line() -> None:
    assert found("Peter Haasnoot\nKerkstraat 12\n1017 GC Amsterdam")[0] == (Kind.PERSON, "Peter Haasnoot")


def _text_of(block: Block) -> str:
    return " ".join((block.text, *(cell.text for cell in (block.table.cells if block.table is not None else ()))))


@pytest.mark.parametrize("language", LANGUAGES)
def test_planted_names_are_masked_wherever_a_document_has_them(language: str) -> None:
    missed, values = list[tuple[str, str]](), 0
    for document in (*make_planted(language, 1), *make_planted(language, 2)):
        masked = redact_tree(flag_tree(document.tree, names()), {})
        shown = " ".join(map(_text_of, masked.blocks))
        values += len(document.values)
        missed += [(document.name, value) for value in document.values if re.search(rf"(?<!\w){value}(?!\w)", shown)]
    assert len(missed) <= 0.06 * values, missed


@pytest.mark.parametrize(
    ("word", "answers"),
    [
        ("Anna", (True, False)), ("Annie", (True, False)), ("Grzegorzowi", (False, True)), ("Markiem", (False, True)),
        ("Pekan", (False, True)), ("Zdeňce", (False, True)), ("Геннадием", (False, True)), ("ВИКТОР", (True, False)),
        ("Server", (False, False)), ("Vorsitz", (False, False)), ("Danish", (False, False)), ("Rechnung", (False, False)),
    ],
)  # fmt: skip
def test_first_names_are_known_also_in_a_case(word: str, answers: tuple[bool, bool]) -> None:
    assert (is_given(word), not is_given(word) and is_given_in_case(word)) == answers
