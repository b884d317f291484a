"""Every kind × every disguise × every place a tree has: nothing of the value is seen in the redacted tree."""

import random
from collections.abc import Callable
from dataclasses import replace

import pytest
from stdnum import iban, luhn

from quire.models.cdom.tree import Block, BlockType, Span
from quire.models.pii.flagging.flag import flag_tree
from quire.models.pii.patterns.kind_patterns import RegexDetector
from quire.models.pii.redact import redact_tree
from tests.models.pii.trees import grid, paragraph, table, tree

DETECTOR = RegexDetector()
Make = Callable[[random.Random], list[str]]
"""A value in its groups: a disguise decides what stands between them."""


def card(dice: random.Random) -> list[str]:
    digits = "4" + "".join(str(dice.randint(0, 9)) for _ in range(14))
    digits += str(luhn.calc_check_digit(digits))
    return [digits[at : at + 4] for at in range(0, 16, 4)]


def account(dice: random.Random) -> list[str]:
    number = "".join(str(dice.randint(0, 9)) for _ in range(14))
    value = f"GB{iban.calc_check_digits('GB00WEST' + number)}WEST{number}"
    return [value[at : at + 4] for at in range(0, 22, 4)]


def social(dice: random.Random) -> list[str]:
    return [str(dice.randint(300, 665)), f"{dice.randint(11, 99)}", f"{dice.randint(1111, 9998)}"]


def mail(dice: random.Random) -> list[str]:
    name = "".join(dice.choices("bcdfghjklmnpqrstvwxz", k=7))
    return [f"{name}.zq", "@", f"{name[::-1]}.example"]


def dialled(dice: random.Random) -> list[str]:
    return ["+44", "20", f"7{dice.randint(100, 999)}", f"{dice.randint(1000, 9999)}"]


KINDS: dict[str, tuple[str, Make, tuple[str, ...]]] = {
    "card": ("card ", card, ("", " ", "-", ".", "/", "_", "|", "\t", " - ", "\u00a0", "\u2011")),
    "iban": ("IBAN ", account, ("", " ", "-", ".", "/", "_", "\t", "\u00a0", "\u202f")),
    "ssn": ("SSN ", social, ("-", " ", ".", "", "\t", "\u2013")),
    "email": ("mail ", mail, ("", "\t", "\u200b", "\u00ad")),
    "phone": ("call ", dialled, (" ", "-", ".", "\u00a0", "\t")),
}


def plain(value: str) -> str:
    return value


def wide(value: str) -> str:
    """Full-width figures and letters."""
    return "".join(chr(ord(char) + 0xFEE0) if "!" <= char <= "~" else char for char in value)


def invisible(value: str) -> str:
    return "\u200b".join(value)


def other_script(value: str) -> str:
    return value.translate(str.maketrans("0123456789", "٠١٢٣٤٥٦٧٨٩"))


DISGUISES: tuple[Callable[[str], str], ...] = (plain, wide, invisible, other_script)


def as_cell(text: str) -> Block:
    return table(0, "Ropes", text, "twice")


def as_column(text: str) -> Block:
    return grid(0, ["Rope", text], ["Rope", text])


def as_link(text: str) -> Block:
    return paragraph(0, "Write to us.", spans=(Span(start=0, end=12, href=f"mailto:{text.split(None, 1)[-1]}"),))


def as_type(block_type: BlockType) -> Callable[[str], Block]:
    return lambda text: replace(paragraph(0, f"Rope 7: {text}, seen."), type=block_type)


PLACES: dict[str, Callable[[str], Block]] = {
    **{str(one): as_type(one) for one in BlockType if one not in (BlockType.TABLE, BlockType.PICTURE)},
    "cell": as_cell,
    "column": as_column,
    "link": as_link,
}


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("kind", KINDS)
def test_no_kind_is_seen_in_any_disguise_at_any_place(kind: str, place: str) -> None:
    before, make, gaps = KINDS[kind]
    dice = random.Random(f"{kind}/{place}")
    for gap in gaps:
        for disguise in DISGUISES:
            groups = make(dice)
            value = disguise(gap.join(groups))
            redacted = str(redact_tree(flag_tree(tree(PLACES[place](before + value)), DETECTOR), {}).blocks)
            seen = [part for part in map(disguise, groups) if len(part) > 3 and part in redacted]
            assert not seen, (kind, place, gap, disguise.__name__, value)
