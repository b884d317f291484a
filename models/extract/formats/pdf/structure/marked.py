"""How much of a page's text its content stream marks: the engine gives unmarked text to the element before it."""

import re

_TOKEN = re.compile(
    rb"\((?:[^\\()]|\\.)*+\)|<[0-9A-Fa-f\s]*+>|/[^\s/<>\[\]()]*+|\b(?:BDC|BMC|EMC|TJ|Tj)\b|(?<![\w])['\"](?![\w])",
    re.DOTALL,
)
_SHOWS = frozenset({b"Tj", b"TJ", b"'", b'"'})


def find_marked_share(content: bytes) -> float:
    """Share (0..1) of the shown bytes that are marked as part of an element, artifacts apart; 1.0 without text."""
    tagged = loose = shown = 0
    marks: list[str] = []
    names: list[bytes] = []
    for found in _TOKEN.finditer(content):
        token = found.group()
        first = token[:1]
        if first == b"(":
            shown += len(token) - 2
        elif first == b"<":
            shown += (len(token) - 2) // 2
        elif first == b"/":
            names.append(token)
        else:
            if token in _SHOWS:
                tagged += shown if marks and marks[-1] == "tagged" else 0
                loose += 0 if marks and marks[-1] else shown
            elif token == b"EMC":
                del marks[-1:]
            else:
                marks.append(_kind(token, names, marks[-1] if marks else ""))
            names.clear()
            shown = 0
    return tagged / (tagged + loose) if tagged + loose else 1.0


def _kind(operator: bytes, names: list[bytes], around: str) -> str:
    """What text under this mark is: of an element, an artifact, or as what is around it."""
    if b"/Artifact" in names[:1] or around == "artifact":
        return "artifact"
    if operator == b"BDC" and (b"/MCID" in names or (len(names) > 1 and names[0] != b"/OC")):
        return "tagged"
    return around
