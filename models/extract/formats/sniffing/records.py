"""Records of delimited text: finds the delimiter, and whether a text consists of records."""

import csv
import io
import re
from collections import Counter
from collections.abc import Iterator
from typing import Final

DELIMITERS: Final = ",;\t|"
_INSTRUCTION: Final = re.compile(r"\ufeff?\"?sep=([^\r\n\"A-Za-z0-9])\"?\r?\n", re.IGNORECASE)
SAMPLE_RECORDS: Final = 50
"""Records that are split by each delimiter to find the file's delimiter."""
_LEAST_AGREEING: Final = 0.6
"""Share of the records that must have the usual number of fields."""
MAX_PREAMBLE: Final = 30
"""Lines above a table that are no records."""
_LEAST_EVEN: Final = 0.9
"""Share of the records below such lines that have as many fields as the heads."""
_LEAST_RAGGED: Final = 3
"""Records that a table of unequal records must have."""
_SHORT_FIELD: Final = 60
"""Characters of a field in such a table: longer ones are text."""
_CODE_SIGN: Final = re.compile(r"[(){}\[\]=<>]")
"""Signs that source text has and records rarely have."""
_DECIMAL: Final = re.compile(r"[^\d,]*[^\S\n]\d[\d.]*,\d\d(?!\d)[^,]*")
"""A line of a list of amounts, whose comma parts no fields: `Shipping   7,50 €`."""
_COLUMN_NAME: Final = re.compile(r"[^\W\d][\w .%/#-]{0,40}")
_FIELD_BYTES: Final = 10_000_000
"""Bytes of one field: the csv module's own limit of 128 KiB refuses legitimate exports."""


def split_instruction(text: str) -> tuple[str | None, str]:
    """Return the delimiter that a first line `sep=;` states for Excel, and the text after that line."""
    match = _INSTRUCTION.match(text)
    return (match.group(1), text[match.end() :]) if match else (None, text)


def split_preamble(text: str) -> tuple[str, str]:
    """Return the lines above a table of records (name of an account, period), and the text from its heads on.

    The heads name three or more columns, or two below an empty line; the lines above have fewer fields, and all records
    below have as many.
    """
    lines = text[: SAMPLE_RECORDS * 2000].split("\n")[: MAX_PREAMBLE + SAMPLE_RECORDS]
    for delimiter in ",;\t":
        widths = [line.count(delimiter) + 1 if line.strip() else 0 for line in lines]
        for index in range(1, min(len(lines), MAX_PREAMBLE)):
            width = widths[index]
            if width < 3 - (not widths[index - 1]) or max(widths[:index]) >= width:
                continue
            (heads, *records) = _records("\n".join(lines[index:]), delimiter, SAMPLE_RECORDS) or [[]]
            below = [len(record) for record in records[: SAMPLE_RECORDS - 1]]
            is_even = len(below) > 1 and below.count(width) >= _LEAST_EVEN * len(below)
            if is_even and len(heads) == width and _names_columns(heads) and not _is_prose(lines[:index], delimiter):
                start = sum(len(line) + 1 for line in lines[:index])
                return text[:start], text[start:]
            break
    return "", text


def _is_prose(lines: list[str], delimiter: str) -> bool:
    """Return whether lines hold marks or sentences rather than names with values."""
    return any(_CODE_SIGN.search(line) or len(line) > 200 or f"{delimiter} " in line for line in lines)


def find_delimiter(text: str) -> str | None:
    """Return the delimiter of a text's records, or None when no usual delimiter yields a table."""
    stated, text = split_instruction(text)
    if stated is not None:
        return stated
    _, text = split_preamble(text)
    sample = text[: SAMPLE_RECORDS * 2000]
    best: tuple[float, int, str] | None = None
    for delimiter in DELIMITERS:
        records = _records(sample, delimiter, SAMPLE_RECORDS)
        if len(sample) < len(text) and len(records) > 1:
            records = records[:-1]
        widths = Counter(len(record) for record in records)
        if len(records) < 2 or not widths:
            continue
        width, count = max(widths.items(), key=lambda item: (item[0] > 1, item[1], item[0]))
        agreeing = count / len(records)
        if width > 1 and agreeing >= _LEAST_AGREEING and (best is None or (agreeing, width) > best[:2]):
            best = (agreeing, width, delimiter)
    return best[2] if best else _find_ragged(sample)


def _find_ragged(sample: str) -> str | None:
    """Return the delimiter of records of unequal length under a first record that names columns."""
    for delimiter in DELIMITERS:
        records = _records(sample, delimiter, SAMPLE_RECORDS)
        if len(records) < _LEAST_RAGGED or not _names_columns(records[0]):
            continue
        divided = sum(len(record) > 1 for record in records)
        fields = [field for record in records for field in record[1:]]
        spaced = sum(field.startswith(" ") for field in fields)
        code = sum(any(_CODE_SIGN.search(field) for field in record) for record in records)
        is_short = all(len(field) <= _SHORT_FIELD for record in records for field in record)
        if divided >= _LEAST_AGREEING * len(records) and not spaced and not code and is_short:
            return delimiter
    return None


def _names_columns(record: list[str]) -> bool:
    """Return whether the fields of a record are different names."""
    names = {field.strip().casefold() for field in record}
    return len(record) > 1 and len(names) == len(record) and all(_COLUMN_NAME.fullmatch(name) for name in names)


def looks_delimited(text: str) -> bool:
    """Return whether a text is a table of records and not prose with commas."""
    if split_instruction(text)[0] is not None:
        return True
    delimiter = find_delimiter(text)
    if delimiter is None:
        return False
    above, text = split_preamble(text)
    if above:
        return True
    records = _records(text[: SAMPLE_RECORDS * 2000], delimiter, SAMPLE_RECORDS)
    fields = [field for record in records for field in record]
    if delimiter == "|" and sum(not record[0].strip() for record in records) > len(records) / 2:
        return False
    if delimiter in "\t|":
        return True
    if delimiter == "," and all(record[0][:1].isalpha() and _DECIMAL.fullmatch(",".join(record)) for record in records):
        return False
    spaced_fields = sum(field.startswith(" ") for record in records for field in record[1:])
    is_spaced = spaced_fields > 0.5 * max(1, sum(len(record) - 1 for record in records))
    ends = sum(record[-1].rstrip().endswith((".", ":", "{", "}", ";", ",")) for record in records)
    has_long_fields = sum(len(field) > 80 for field in fields) > 0.2 * len(fields)
    return not (has_long_fields or (is_spaced and len(records) < 4) or ends > 0.4 * len(records))


def _records(text: str, delimiter: str, most: int) -> list[list[str]]:
    records: list[list[str]] = []
    try:
        for record in read_records(text, delimiter):
            if any(field.strip() for field in record):
                records.append(record)
            if len(records) >= most:
                break
    except csv.Error:
        return records
    return records


def read_records(text: str, delimiter: str) -> Iterator[list[str]]:
    """Yield the raw records.

    Raises:
        csv.Error: A field has no end.
    """
    csv.field_size_limit(_FIELD_BYTES)
    return csv.reader(io.StringIO(text.replace("\0", ""), newline=""), delimiter=delimiter, skipinitialspace=False)
