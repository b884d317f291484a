"""Compares extracted values with the truth: exactly, or loosely as readers of receipts do."""

import re
from collections.abc import Mapping, Sequence
from difflib import SequenceMatcher
from typing import Any

import numpy as np
from rapidfuzz.distance import Indel

from quire.models.derive.fields.values import find_dates

SIMILAR = 0.85
"""Minimum similarity of two texts that count as equal."""
BINS = 10  # bins of confidence, of equal width


def flatten(text: object) -> str:
    """Return a text without case, blanks and marks at its ends."""
    return re.sub(r"\s+", "", str(text).casefold()).strip(":.;")


def is_similar(truth: object, value: object) -> bool:
    """Return whether two texts are nearly equal."""
    return Indel.normalized_similarity(flatten(truth), flatten(value)) >= SIMILAR


def is_right(truth: object, value: object) -> bool:
    """Return whether a value is the true one: numbers by amount, days by date, texts nearly."""
    if value is None:
        return False
    if isinstance(value, int | float) and not isinstance(value, bool):
        return round(float(value), 2) == read_amount(truth)
    if re.fullmatch(r"\d{4}-\d\d-\d\d", str(value)):
        return str(value) in read_days(str(truth))
    return is_similar(truth, value)


def read_amount(text: object) -> float | None:
    """Return the first amount of a text."""
    match = re.search(r"-?\d[\d.,]*", str(text))
    digits = re.sub(r",(?=\d{3}(?:\D|$))", "", match.group()) if match else ""
    try:
        return round(float(digits.rstrip(".,").replace(",", ".")), 2)
    except ValueError:
        return None


def read_days(text: str) -> set[str]:
    """Return the dates that a text may mean: day first or month first."""
    days = {found.normal for found in find_dates(text)}
    swapped = re.sub(r"(\d{1,2})([/.-])(\d{1,2})(?=\2\d{2,4})", r"\3\2\1", text)
    return days | {found.normal for found in find_dates(swapped)}


def share_of_rows(truth: Sequence[Mapping[str, Any]], rows: Sequence[Mapping[str, Any]]) -> float:
    """Return the share of rows that are exact and in order."""
    wanted, found = ([_row_key(row) for row in side] for side in (truth, rows))
    blocks = SequenceMatcher(None, wanted, found, autojunk=False).get_matching_blocks()
    return sum(block.size for block in blocks) / max(1, len(wanted), len(found))


def _row_key(row: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    shown = {
        key: f"{value:.2f}" if isinstance(value, int | float) else " ".join(str(value).split())
        for key, value in row.items()
        if value is not None
    }
    return tuple(sorted(shown.items()))


def count_right_lines(truth: Sequence[Mapping[str, Any]], lines: Sequence[Mapping[str, Any]]) -> int:
    """Return the number of true lines that are among the extracted ones with all their values."""
    left = list(lines)
    count = 0
    for line in truth:
        match = next((other for other in left if all(is_right(v, other.get(k)) for k, v in line.items())), None)
        if match is not None:
            left.remove(match)
            count += 1
    return count


def calibration_error(said: Sequence[float], right: Sequence[bool]) -> float:
    """Return the mean distance of confidence from the share of right values, over bins (ECE)."""
    if not said:
        return 0.0
    chances, truth = np.array(said), np.array(right, float)
    place = np.minimum((chances * BINS).astype(int), BINS - 1)
    gaps = [abs(chances[place == bin].sum() - truth[place == bin].sum()) for bin in set(place.tolist())]
    return float(sum(gaps) / len(chances))
