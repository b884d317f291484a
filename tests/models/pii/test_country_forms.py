"""Personal data of about 60 countries as documents write it. The part between ⟦ and ⟧ must be masked."""

import re
from pathlib import Path

import pytest

from quire.models.pii.flagging.flag import flag_tree
from quire.models.pii.patterns.kind_patterns import RegexDetector
from quire.models.pii.redact import redact_tree
from tests.models.pii.trees import paragraph, tree

ROWS = [line.split("\t") for line in Path(__file__).with_name("country_forms.tsv").read_text().splitlines()]
DETECTOR = RegexDetector()


def masked(text: str) -> str:
    redacted = redact_tree(flag_tree(tree(paragraph(0, text)), DETECTOR), {}).blocks[0].text
    return re.sub(r"\s", "", redacted)


@pytest.mark.parametrize(("country", "marked"), ROWS, ids=lambda part: str(part)[:40])
def test_personal_data_is_masked_in_the_forms_of_each_country(country: str, marked: str) -> None:
    text = marked.replace("\\n", "\n")
    values = re.findall("⟦(.*?)⟧", text)
    shown = masked(re.sub("[⟦⟧]", "", text))
    assert not [value for value in values if re.sub(r"\s", "", value) in shown], shown


@pytest.mark.parametrize(
    "text",
    [
        "Zamówienie dowodu 77 z 2019",
        "The tax reform of 2019-2022 and the licence 3.1 of the package",
        "Passed: 160 tests in 0:00:00.884",
        "the address 7545 of the register holds 690 bytes",
        "Journal of Things 226(7), 235–3032 (2017).",
        "EAN 4006381333931  218 Stk  78366.00",
        "Insurance premiums of 2015-2024 fell by 11 %.",
        "Values: 531 487 390 809 915 The account of these events",
        "Tax receipts 2012–2023: 6403.00",
        "Values: 435 326 910 357 131 Call 4 of the programme closed.",
        "Fees: 22135.00 (18 March 2018 to 27/11/2018)",
        "Budget line 43.78.28.13 was increased.",
        "Calendar year 2015, from January 1, 2015 to December 31, 2015.",
        "2 of 4 sites. Dr. Example has provided the files.",
        "3.2.2 Maintenance and Support Tasks",
        "It was addressed 6 towards the following roles.",
    ],
)
def test_amounts_periods_and_references_are_not_personal_data(text: str) -> None:
    assert not flag_tree(tree(paragraph(0, text)), DETECTOR).blocks[0].flags
