"""Checks that extracted values stand in their evidence, on JSON alone: no code of the extraction is used.

A value must follow from its verbatim text by reading digits, months or words; the verbatim text must be the text at
its places in the tree.
"""

import json
import re
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

MONTHS = (
    ("jan", "ene", "gen"), ("feb", "fév", "fev"), ("mar", "mär", "maa", "mrt"), ("apr", "avr", "abr"),
    ("may", "mai", "mei", "mag"), ("jun", "jui", "giu"), ("jul", "juil", "lug"), ("aug", "aoû", "ago", "aou"),
    ("sep", "set"), ("oct", "okt", "ott", "out"), ("nov",), ("dec", "dez", "dic", "déc"),
)  # fmt: skip
CURRENCY_MARKS = {
    "€": "EUR", "$": "USD", "£": "GBP", "RM": "MYR", "₹": "INR", "RS": "INR", "RS.": "INR", "¥": "JPY", "KR": "SEK",
    "FR.": "CHF", "EURO": "EUR", "EUROS": "EUR", "ZŁ": "PLN", "US$": "USD", "S$": "SGD", "A$": "AUD", "C$": "CAD",
    "R$": "BRL", "HK$": "HKD",
}  # fmt: skip
TRUE = frozenset({"yes", "true", "oui", "ja", "si", "sí", "sim", "y", "x", "☑", "☒", "✓", "✔", "[x]"})
FALSE = frozenset({"no", "false", "non", "nein", "nee", "não", "nao", "n", "☐", "[ ]"})


def find_ungrounded(tree_json: bytes, answer_json: bytes) -> tuple[int, list[str]]:
    """Return the number of values with evidence, and what is wrong with those that are not grounded."""
    tree, answer = json.loads(tree_json), json.loads(answer_json, parse_float=Decimal)
    texts = dict(_texts(tree))
    wrong = []
    values = dict(_leaves(answer["data"], ""))
    for path, value in values.items():
        proof = answer["evidence"].get(path)
        if value is None:
            continue
        problem = "no evidence" if proof is None else _problem(value, proof, texts)
        if problem:
            wrong.append(f"{path}: {problem}: {value!r}")
    wrong += [f"{path}: evidence without a value" for path in answer["evidence"] if values.get(path) is None]
    return len(answer["evidence"]), wrong


def _texts(tree: Any) -> Iterator[tuple[tuple[str, int | None], str]]:
    for block in tree["blocks"]:
        yield (block["id"], None), block.get("text") or ""
        for number, cell in enumerate((block.get("table") or {}).get("cells", [])):
            yield (block["id"], number), cell.get("text") or ""


def _leaves(value: Any, path: str) -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict):
        for name, part in value.items():
            yield from _leaves(part, f"{path}/{name.replace('~', '~0').replace('/', '~1')}")
    elif isinstance(value, list):
        for number, part in enumerate(value):
            yield from _leaves(part, f"{path}/{number}")
    else:
        yield path, value


def _problem(value: Any, proof: Any, texts: dict[tuple[str, int | None], str]) -> str:
    if proof["how"] == "default":
        return "" if not proof["places"] else "a default with a place"
    if not proof["places"]:
        return "no place"
    parts = []
    for place in proof["places"]:
        text = texts.get((place["block_id"], place.get("cell")))
        if text is None or not 0 <= place["start"] < place["end"] <= len(text):
            return "a place outside the tree"
        parts.append(text[place["start"] : place["end"]])
    if " ".join(parts) != proof["verbatim"]:
        return f"the text there is {' '.join(parts)!r}"
    whole = " ".join(texts[place["block_id"], place.get("cell")] for place in proof["places"])
    return "" if _follows(value, proof["verbatim"], whole) else f"does not follow from {proof['verbatim']!r}"


def _follows(value: Any, verbatim: str, whole: str) -> bool:
    if isinstance(value, bool):
        return verbatim.strip().strip(".").lower() in (TRUE if value else FALSE)
    if isinstance(value, int | Decimal):
        digits = re.sub(r"\D", "", f"{abs(value):f}")
        written = re.sub(r"\D", "", verbatim)
        return digits.strip("0") == written.strip("0") and _sign(value, verbatim)
    if re.fullmatch(r"\d{4}-\d\d-\d\d(T\d\d:\d\d:\d\d)?", value) and value != verbatim:
        return _is_day(value[:10], verbatim, whole)
    if re.fullmatch(r"[A-Z]{3}", value) and CURRENCY_MARKS.get(verbatim.strip().upper()) == value:
        return True
    if re.fullmatch(r"\d\d:\d\d:\d\d", value):
        return all(str(int(part)) in verbatim for part in value.split(":")[1:2])
    return re.sub(r"[\W_]", "", value).casefold() == re.sub(r"[\W_]", "", verbatim).casefold()


def _sign(value: int | Decimal, verbatim: str) -> bool:
    if value == 0:
        return True
    marked = bool(re.search(r"[-−–(]", verbatim))
    return marked if value < 0 else not marked or bool(re.search(r"\d[-−–]\d", verbatim))


def _is_day(day: str, verbatim: str, whole: str) -> bool:
    year, month, number = day.split("-")
    text = verbatim.casefold()
    numbers = [int(digits) for digits in re.findall(r"\d+", text)]
    if re.fullmatch(r"\D*\d{8}\D*", text):
        return year + month + number in text
    named = any(re.search(rf"(?<![^\W\d_]){name}", text) for name in MONTHS[int(month) - 1])
    has_year = int(year) in numbers or int(year[2:]) in numbers or year in whole
    return (
        int(number) in numbers and (named or int(month) in numbers or bool(re.search(r"[^\W\d_]", whole))) and has_year
    )
