"""Checks a commit message: `python -m tests.commit_message FILE`, as a commit-msg hook of pre-commit.

The subject is `area: imperative summary` in at most 72 characters; a blank line separates it from the body.
"""

import re
import sys
from pathlib import Path

MAX_SUBJECT = 72
"""Characters; longer subjects are cut by most tools."""
_SUBJECT = re.compile(r"[a-z0-9_/-]+(, [a-z0-9_/-]+)*: [a-z][^.]*(\.[^.\s][^.]*)*")
_GENERATED = re.compile(r"Merge |Revert |fixup! |squash! |release: \d+\.\d+\.\d+$")
_NOT_IMPERATIVE = re.compile(r"^(?!merge:).*?: (\w+(ed|ing)|what|who|whoever|nobody|where|the|a|an) ")
_ENDS_LIKE_OTHER_FORMS = re.compile(r": (need|embed|feed|speed|seed|shed|string|bring|ping) ")


def find_fault(message: str) -> str | None:
    """Return what is wrong with a commit message, or None."""
    lines = [line for line in message.rstrip().splitlines() if not line.startswith("#")]
    subject = lines[0] if lines else ""
    if _GENERATED.match(subject):
        return None
    if len(subject) > MAX_SUBJECT:
        return f"the subject has {len(subject)} characters; the limit is {MAX_SUBJECT}"
    if not _SUBJECT.fullmatch(subject):
        return "the subject must read `area: imperative summary`, in lower case and without a full stop"
    if _NOT_IMPERATIVE.search(subject) and not _ENDS_LIKE_OTHER_FORMS.search(subject):
        return "the summary must begin with an imperative verb: `queue: count heartbeats`"
    if len(lines) > 1 and lines[1]:
        return "leave a blank line between subject and body"
    return None


if __name__ == "__main__":
    fault = find_fault(Path(sys.argv[1]).read_text(encoding="utf-8"))
    sys.exit(f"commit message refused: {fault} (docs/development.md)" if fault else 0)
