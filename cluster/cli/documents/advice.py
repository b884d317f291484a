"""What to do about a file that was not read, said at a terminal: one sentence for each stable code."""

ADVICE = {
    "ml-unavailable": "a page needs text recognition, which does not run on this machine (quire doctor says why)",
    "unsupported-format": "the content is of no format that is read here",
    "malformed": "the file is damaged; export or scan it again",
    "encrypted": "it needs a password; pass it with --password",
    "too-many-pages": "it has more pages than SVC_MAX_PAGES allows; read some with --pages 1-500",
    "no-such-page": "none of the pages asked for is in it",
    "resource-limit": "reading it needs more memory than SVC_CHILD_MEMORY_MB allows",
    "timeout": "reading it takes more CPU time than SVC_PAGE_CPU_S or SVC_DOCUMENT_CPU_S allows",
    "parser-crash": "the reader fell over it; export it again",
    "worker-killed": "the machine ended the reader; read fewer side by side with --jobs 1",
    "original-missing": "it cannot be opened",
    "pii-incomplete": "it could not be scanned for personal data, so nothing of it is written",
    "internal": "a fault of Quire; report it when it stays",
}


_NAMED = frozenset({"unsupported-format"})
"""Codes whose detail names the format and says what to do."""


def advise(code: str | None, detail: str = "") -> str | None:
    """Return what to do about a file: what the reader says of it, else the advice for its code."""
    return detail if detail and code in _NAMED else ADVICE.get(code or "")


def explain(name: str, code: str, detail: str = "") -> str:
    """`a.pdf: encrypted: it needs a password; …`"""
    advice = advise(code, detail)
    return f"{name}: {code}: {advice}" if advice else f"{name}: {code}"
