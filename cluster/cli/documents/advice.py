"""Advice on files that were not read, for terminals: one sentence per stable code."""

ADVICE = {
    "ml-unavailable": "a page needs text recognition (OCR), not available here; run quire doctor for the reason",
    "unsupported-format": "the file format is not supported",
    "malformed": "the file is damaged; export or scan it again",
    "encrypted": "the file needs a password; quire extract takes it with --password",
    "too-many-pages": "the file has more pages than SVC_MAX_PAGES; quire extract --pages 1-500 reads some",
    "no-such-page": "the file has none of the selected pages",
    "resource-limit": "the file passes a limit of docs/formats.md; divide it",
    "timeout": "the file needs more CPU time than SVC_PAGE_CPU_S or SVC_DOCUMENT_CPU_S allows",
    "parser-crash": "the parser crashed on this file; export it again",
    "worker-killed": "the reading process was killed from outside, often because memory ran out; run the command again",
    "original-missing": "the file cannot be opened",
    "pii-incomplete": "the scan for personal data failed, so no result is written",
    "internal": "an internal error of Quire; report it if it recurs",
}

_BY_CAUSE = {
    ("encrypted", "wrong password"): "the password is wrong; pass the right one with --password",
    ("encrypted", "a kind of encryption that is not read"): (
        "the file is encrypted with certificates or rights management; save it without protection"
    ),
    ("malformed", "the file is cut off"): "the end of the file is missing; copy or download it again",
    ("resource-limit", "memory"): (
        "reading needs more memory than SVC_CHILD_MEMORY_MB allows; raise it, or divide the file"
    ),
    ("worker-killed", "recogniser: too slow"): "the machine is too busy for text recognition; run the command again",
    ("malformed", "no page"): "the file has no page; export it again",
}
"""Advice for a code whose detail names the cause."""

_NAMED = frozenset({"unsupported-format"})
"""Codes whose detail names the format and says what to do."""


def advise(code: str | None, detail: str = "") -> str | None:
    """Return what to do about a file: what the reader says of it, else the advice for its code."""
    if detail and code in _NAMED:
        return detail
    if (code or "", detail) in _BY_CAUSE:
        return _BY_CAUSE[code or "", detail]
    advice = ADVICE.get(code or "")
    return f"{detail}; {advice}" if detail and code == "resource-limit" else advice


def explain(name: str, code: str, detail: str = "") -> str:
    """Return a line such as `a.pdf: encrypted: it needs a password; …`."""
    advice = advise(code, detail)
    return f"{name}: {code}: {advice}" if advice else f"{name}: {code}"
