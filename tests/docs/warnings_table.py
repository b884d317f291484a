"""The table of warnings in docs/formats.md, generated from models/cdom/flags.py.

`python -m tests.docs.warnings_table` replaces the table in the page.
"""

import re
from pathlib import Path

from quire.models.cdom.flags import WARNINGS

PAGE = Path(__file__).resolve().parents[2] / "docs" / "formats.md"
_TABLE = re.compile(r"^\| Warning \|.*?(?=\n\n)", re.DOTALL | re.MULTILINE)


def render_table() -> str:
    """Render one row for each code, in alphabetical order."""
    lines = ["| Warning | Meaning and advice |", "|---|---|"]
    rows = (f"| `{code}{'…' if code.endswith('-') else ''}` | {text} |" for code, text in sorted(WARNINGS.items()))
    return "\n".join([*lines, *rows])


def replace_table(page: str) -> str:
    """Return the page with its table of warnings replaced by the generated one."""
    return _TABLE.sub(lambda _: render_table(), page, count=1)


if __name__ == "__main__":
    PAGE.write_text(replace_table(PAGE.read_text()))
