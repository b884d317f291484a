"""Words that a line drawn through them strikes out; the line is then no rule of a table."""

from quire.models.extract.core.marks import Rule
from quire.models.extract.layout.lines.marks import Line, PageMarks, Run

_LOWEST, _HIGHEST = 0.12, 0.42
"""Ems above the baseline between which a line strikes out small letters: an underline is lower, a rule higher."""
_MARGIN = 0.3
"""Ems between the ends of the line and of the words: lines of charts end anywhere."""
_SHORTEST = 1.5
"""Ems: a shorter line is a dash or the bar of a fraction."""


def strike_out_words(marks: PageMarks) -> None:
    """Mark the words that horizontal rules strike out, and take those rules from the marks, in place."""
    rules = [*marks.horizontals, *marks.dashes]
    if not rules:
        return
    by_height: dict[int, list[Rule]] = {}
    for rule in rules:
        by_height.setdefault(int(rule.y0), []).append(rule)
    strikes: set[int] = set()
    for line in marks.lines:
        if not line.upright:
            continue
        low, high = line.base - _HIGHEST * line.size, line.base - _LOWEST * line.size
        for height in range(int(low), int(high) + 1):
            for rule in by_height.get(height, ()):
                if (
                    low <= rule.y0 <= high
                    and _is_over(rule, line)
                    and _is_alone(rule, by_height[height])
                    and (_strike(marks, line, rule))
                ):
                    strikes.add(id(rule))
    if strikes:
        marks.horizontals = [rule for rule in marks.horizontals if id(rule) not in strikes]
        marks.dashes = [rule for rule in marks.dashes if id(rule) not in strikes]


def _is_over(rule: Rule, line: Line) -> bool:
    """Return whether the rule is inside the extent of the line's text."""
    margin = _MARGIN * line.size
    return rule.x1 - rule.x0 >= _SHORTEST * line.size and rule.x0 >= line.x0 - margin and rule.x1 <= line.x1 + margin


def _is_alone(rule: Rule, rules: list[Rule]) -> bool:
    """Return whether no other rule runs on from this one, as the lines of a chart do."""
    return not any(
        other is not rule and other.x0 < rule.x1 and rule.x0 < other.x1 and abs(other.x0 - rule.x0) > 1
        for other in rules
    )


def _strike(marks: PageMarks, line: Line, rule: Rule) -> bool:
    """Add a run over the words below the rule; return whether there are any with a letter or a figure."""
    start, end, offset = -1, -1, 0
    left = right = 0.0
    for word in marks.words_of(line):
        offset = max(line.text.find(word.text, offset), 0)
        if rule.x0 <= (word.x0 + word.x1) / 2 <= rule.x1:
            start, left = (offset, word.x0) if start < 0 else (start, left)
            end, right = offset + len(word.text), word.x1
        offset += len(word.text)
    margin = _MARGIN * line.size
    if start < 0 or abs(left - rule.x0) > margin or abs(right - rule.x1) > margin:
        return False
    if not any(char.isalnum() for char in line.text[start:end]):
        return False
    line.runs.append(Run(start, end, strike=True))
    return True
