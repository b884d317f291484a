"""Terms of trades that a tagger takes for names, and names that look like them."""

import pytest

from quire.models.pii.engines.people import is_term
from quire.models.pii.patterns.kind_patterns import RegexDetector

TERMS = (
    ("A [MaterialSample] is a physical sample.", "camel case"),
    ("A tool called [JConsole], which connects.", "camel case"),
    ("[EUGEN]-T14-R022", "number of a rule"),
    ("See rule [OP]-T14-028 here.", "number of a rule"),
    ("All accounts in [RAPTOR] have attributes.", "acronym"),
    ("The policy of [FOSS] is here.", "acronym"),
    ("Paragraph [T14]-031", "number of a rule"),
    ("The [Sample]::relatedSample value.", "name of a class"),
    ("The [Sample]_id value.", "name of a column"),
    ("Pay by [SWIFT COBADEFFXXX].", "code of a bank"),
    ("Pay to [COBADEFFXXX].", "code of a bank"),
    ("A [-] sign.", "sign"),
    ("[\ud639\uc740\uc720\uc0ac\ud55c\ub77c\uc774\uc120\uc2a4].", "a sentence without capitals"),
    ("Call [DigiD] or eHerkenning.", "camel case"),
    ("A roadmap for [DS4All] of guidelines.", "figures"),
    ("Use [OAuth] for that.", "camel case"),
    ("Read by [PV1] and others.", "figures"),
    ("The [NORA] and event design.", "acronym"),
    ("Log in to the [ASRC] application.", "acronym"),
    ("Ask the [ICTU].", "acronym"),
)
NAMES = (
    "Signed by [Jan McDonald].", "Signed by [Anna DeLuca].", "Then [LeBron James] came.", "Patient: [SMITH], born 1970",
    "It was read by [SMITH].", "[JOHN SMITH]", "The letter of [Jean DUPONT] came.", "[O'NEILL] wrote.",
    "Z [Ann\u0105 Kowalsk\u0105] i [Janem] Nowakiem", "[\u7530\u4e2d\u592a\u90ce]\u3055\u3093", "[Mac Arthur]",
    "Ask [Zaqari-Wexley] for it.", "[MacGregor] wrote.", "[DiCaprio] wrote.", "[LaToya Jones] wrote.",
    "[VanDyke] wrote.",
)  # fmt: skip


@pytest.mark.parametrize(("text", "reason"), TERMS, ids=[text for text, _ in TERMS])
def test_term_is_no_person(text: str, reason: str) -> None:
    start, end = text.index("["), text.index("]") - 1
    assert is_term(text.replace("[", "", 1).replace("]", "", 1), start, end), reason


@pytest.mark.parametrize("text", NAMES)
def test_name_is_no_term(text: str) -> None:
    start, end = text.index("["), text.index("]") - 1
    assert not is_term(text.replace("[", "", 1).replace("]", "", 1), start, end)


@pytest.mark.parametrize("word", ["version", "Version:", "Versi\u00f3n", "wersja", "release", "build", "firmware"])
def test_version_is_no_ip_address(word: str) -> None:
    assert [hit.kind.value for hit in RegexDetector().detect(f"It has {word} 10.4.20.133 now.")] == []
    assert [hit.kind.value for hit in RegexDetector().detect("It is at 10.4.20.133 now.")] == ["ip"]
