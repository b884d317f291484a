"""The table of docs/settings.md, generated from configs/settings.py.

`python -m tests.docs.settings_table` replaces the table in the page.
"""

import re
from pathlib import Path

from quire.configs.parsing import allowed, shown_default, variable
from quire.configs.settings import Settings

PAGE = Path(__file__).resolve().parents[2] / "docs" / "settings.md"
_TABLE = re.compile(r"^\| Variable \|.*?(?=\n\n)", re.DOTALL | re.MULTILINE)


def render_table() -> str:
    """Render one row for each setting, in the order in which they are declared."""
    lines = ["| Variable | Default | Allowed | Purpose |", "|---|---|---|---|"]
    for field, info in Settings.model_fields.items():
        lines.append(f"| `{variable(field)}` | `{shown_default(field)}` | {allowed(field)} | {info.description} |")
    return "\n".join(lines)


def replace_table(page: str) -> str:
    """Return the page with its table of settings replaced by the generated one."""
    return _TABLE.sub(lambda _: render_table(), page, count=1)


if __name__ == "__main__":
    PAGE.write_text(replace_table(PAGE.read_text()))
