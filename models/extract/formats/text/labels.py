"""Link labels of CommonMark found in bounded work: the parser looks for the end of every `[` by itself, anew each time.

A bracket that nothing closes is told without a search; beyond a count of steps a bracket is text.
"""

from collections.abc import MutableMapping
from types import SimpleNamespace
from typing import Any, Final

from markdown_it import MarkdownIt, helpers
from markdown_it.rules_inline import StateInline

STEPS_PER_CHAR: Final = 4
"""Steps through labels that a text has for each of its characters: a page full of links takes less than one."""
FREE_STEPS: Final = 200_000
"""Steps that even the shortest text has: about a fifth of a second."""
_LEFT: Final = "label_steps_left"
_CLOSER: Final = "last_closer"


def label_steps(text: str) -> dict[str, Any]:
    """The environment of one parse of `text`: what its search for labels may still take."""
    return {_LEFT: FREE_STEPS + STEPS_PER_CHAR * len(text)}


def bound_labels(parser: MarkdownIt) -> MarkdownIt:
    """The same parser with that search; it must be given `label_steps` as its environment."""
    bounded: Any = SimpleNamespace(
        parseLinkLabel=find_label_end,
        parseLinkDestination=helpers.parseLinkDestination,
        parseLinkTitle=helpers.parseLinkTitle,
    )
    parser.helpers = bounded
    return parser


def find_label_end(state: StateInline, start: int, no_links: bool = False) -> int:
    """Where the label that opens at `start` closes, -1 when it does not (or, with `no_links`, holds a link)."""
    if _last_closer(state) <= start:
        return -1
    before = state.pos
    end = _search(state, start + 1, no_links)
    state.pos = before
    return end


def _search(state: StateInline, at: int, no_links: bool) -> int:
    env: MutableMapping[str, Any] = state.env
    level = 1
    state.pos = at
    while state.pos < state.posMax:
        env[_LEFT] -= 1
        if env[_LEFT] < 0:
            return -1
        marker = state.src[state.pos]
        level -= marker == "]"
        if level == 0:
            return state.pos
        before = state.pos
        state.md.inline.skipToken(state)
        if marker == "[":
            if before == state.pos - 1:
                level += 1
            elif no_links:
                return -1
    return -1


def _last_closer(state: StateInline) -> int:
    """The place of the last `]` of a paragraph, looked for once."""
    known = state.env.get(_CLOSER)
    if known is None or known[0] is not state.src:
        known = state.env[_CLOSER] = (state.src, state.src.rfind("]"))
    return int(known[1])
