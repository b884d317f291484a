"""Format values for templates: times, sizes, counts, marked text, names of flags, advice about errors."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

FLAGS = {
    "email": "E-mail address",
    "phone": "Phone number",
    "credit_card": "Credit card",
    "iban": "Bank account (IBAN)",
    "ssn": "Social security number",
    "national_id": "National identity number",
    "ip": "IP address",
    "url": "Web address",
    "passport": "Passport number",
    "date_of_birth": "Date of birth",
    "address": "Postal address",
    "vat_id": "VAT number",
    "plate": "Number plate",
    "bank_account": "Bank account",
    "crypto_wallet": "Crypto wallet",
    "secret": "Password or secret",
    "person": "Person",
    "location": "Place",
    "organization": "Organisation",
}
ADVICE = {
    "ml-unavailable": "A page needs text recognition (OCR), which is not installed. Install it and read again.",
    "unsupported-format": "The format is not supported. See Formats in the guide.",
    "malformed": "The file is damaged. Export or scan it again.",
    "encrypted": "The file needs a password. Open the document and enter the password.",
    "too-many-pages": "Split the file, or select pages to read.",
    "no-such-page": "The file has none of the selected pages. Send it again with other pages.",
    "resource-limit": "The document exceeds a memory or size limit. Split the file.",
    "timeout": "The document needs more CPU time than allowed. Split the file.",
    "parser-crash": "The parser crashed twice on this file. Export the file again.",
    "worker-killed": "The reading process was killed. Read the document again.",
    "page-quota": "The page quota of this month is used up. Read the document again next month.",
    "original-missing": "The original is no longer stored. Upload the file again.",
    "internal": "An internal error. Read the document again and report the error if it recurs.",
}
_STEPS = ((60, 1, "s"), (3600, 60, "min"), (86_400, 3600, "h"), (30 * 86_400, 86_400, "d"))


def format_ago(text: str | None, now: datetime | None = None) -> str:
    """Format a time relative to now: "just now", "5 min ago", "in 2 h"; after a month the ISO date.

    The script of the page writes dates in the language of the browser.
    """
    if not text:
        return "–"
    time = datetime.fromisoformat(text)
    seconds = ((now or datetime.now(UTC)) - time).total_seconds()
    if abs(seconds) < 5:
        return "just now"
    for below, unit, name in _STEPS:
        if abs(seconds) < below:
            count = int(abs(seconds) // unit)
            return f"{count} {name} ago" if seconds > 0 else f"in {count} {name}"
    return f"{time:%Y-%m-%d}"


def format_time(text: str) -> str:
    """Format a time in full: "2026-05-01 09:30:05 UTC"."""
    return f"{datetime.fromisoformat(text).astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC"


def format_duration(start: str | None, end: str | None) -> str:
    """Format the time between two times: "0.4 s", "12 s", "3 min 5 s", "2 h 10 min"."""
    if not start or not end:
        return "–"
    seconds = max(0.0, (datetime.fromisoformat(end) - datetime.fromisoformat(start)) / timedelta(seconds=1))
    if seconds < 10:
        return f"{seconds:.1f} s"
    if seconds < 60:
        return f"{seconds:.0f} s"
    minutes, rest_seconds = divmod(int(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest_seconds} s"
    return f"{minutes // 60} h {minutes % 60} min"


def format_size(count: int | None) -> str:
    """Format a byte count: "12 kB"."""
    if count is None:
        return "–"
    if count < 1000:
        return f"{count} B"
    if count < 1_000_000:
        return f"{count / 1000:.0f} kB"
    return f"{count / 1_000_000:.1f} MB" if count < 1_000_000_000 else f"{count / 1_000_000_000:.1f} GB"


def format_number(count: int | None) -> str:
    """Format a number with a comma between thousands."""
    return "–" if count is None else f"{count:,}"


def format_count(count: int, singular: str, plural: str | None = None) -> str:
    """Format a count with its noun, such as "1 page" or "12 pages"."""
    return f"{count:,} {singular if count == 1 else plural or singular + 's'}"


def shorten(text: str, most: int = 72) -> str:
    """Shorten a long name in its middle, because its beginning and its end distinguish names."""
    if len(text) <= most:
        return text
    tail = most // 3
    return f"{text[: most - tail - 1].rstrip()}…{text[-tail:].lstrip()}"


def format_sentence(text: str) -> str:
    """Format an error's text as a sentence without changing the case of names in it."""
    return text[:1].upper() + text[1:] + ("" if text[-1:] in {"", *".!?"} else ".")


def format_flag(flag: str) -> str:
    """Return the label of a flag: `pii:email` is "E-mail address"."""
    kind = flag.removeprefix("pii:")
    return FLAGS.get(kind, kind.replace("_", " ").replace("-", " ").capitalize())


def format_type(name: str) -> str:
    """Return the label of a block type: `list_item` is "list item"."""
    return name.replace("_", " ")


def advise(code: str | None) -> str:
    """Return advice about a document's error code."""
    return ADVICE.get(code or "", "")


def mark(text: str, spans: Iterable[Sequence[int] | Mapping[str, int]]) -> list[tuple[str, bool]]:
    """Split the text into stretches, marked or not. Spans are [start, end) and may overlap or exceed the end."""
    pairs = sorted((s["start"], s["end"]) if isinstance(s, Mapping) else (s[0], s[1]) for s in spans)
    parts, position = [], 0
    for start, end in pairs:
        begin, stop = max(position, start), max(position, end)
        parts += [(text[position:begin], False), (text[begin:stop], True)]
        position = stop
    return [part for part in [*parts, (text[position:], False)] if part[0]]


FILTERS: Mapping[str, Callable[..., Any]] = {
    "ago": format_ago,
    "stamp": format_time,
    "size": format_size,
    "number": format_number,
    "count_of": format_count,
    "sentence": format_sentence,
    "short": shorten,
    "flag": format_flag,
    "kind": format_type,
    "advice": advise,
    "mark": mark,
}
