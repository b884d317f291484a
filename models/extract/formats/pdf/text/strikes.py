"""Words that a line drawn through them strikes out; the line is then no rule of a table."""

from models.extract.layout.lines.marks import Line, PageMarks, Rule, Run

_LOWEST, _HIGHEST = 0.12, 0.42
"""Ems above the baseline between which a line strikes out small letters: an underline is lower, a rule higher."""
_MARGIN = 0.3
"""Ems that the line may reach beyond the text."""
_COVERED = 0.8
"""Share of a word's width that the line must cover."""
_SHORTEST = 0.8
"""Ems: a shorter line is a dash."""


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
                if low <= rule.y0 <= high and _is_over(rule, line) and _strike(marks, line, rule):
                    strikes.add(id(rule))
    if strikes:
        marks.horizontals = [rule for rule in marks.horizontals if id(rule) not in strikes]
        marks.dashes = [rule for rule in marks.dashes if id(rule) not in strikes]


def _is_over(rule: Rule, line: Line) -> bool:
    """Return whether the rule is inside the extent of the line's text."""
    margin = _MARGIN * line.size
    return rule.x1 - rule.x0 >= _SHORTEST * line.size and rule.x0 >= line.x0 - margin and rule.x1 <= line.x1 + margin


def _strike(marks: PageMarks, line: Line, rule: Rule) -> bool:
    """Add a run over the words below the rule; return whether there are any with a letter or a figure."""
    start, end, offset = -1, -1, 0
    for word in marks.words_of(line):
        offset = max(line.text.find(word.text, offset), 0)
        covered = min(word.x1, rule.x1) - max(word.x0, rule.x0)
        if covered >= _COVERED * (word.x1 - word.x0):
            start, end = (offset if start < 0 else start), offset + len(word.text)
        offset += len(word.text)
    if start < 0 or not any(char.isalnum() for char in line.text[start:end]):
        return False
    line.runs.append(Run(start, end, strike=True))
    return True
