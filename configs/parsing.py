"""From the environment to `Settings`: unknown names, wrong values and capabilities that are not built are refused.

In come variables; out goes the settings object, or `SettingsError` naming each wrong variable and what is allowed.
"""

import difflib
from collections.abc import Iterable, Mapping
from typing import Any

from pydantic import ValidationError

from quire.configs.cross_checks import PREFIX
from quire.configs.settings import Settings

ALIASES = {"SVC_FAST_PDF": "SVC_FAST_MODE"}


class SettingsError(Exception):
    """Wrong settings; one line per variable, secrets never shown."""

    code = "settings"

    def __init__(self, lines: Iterable[str]) -> None:
        self.lines = tuple(lines)
        super().__init__("\n".join(self.lines))


def variable(field: str) -> str:
    """Return the environment variable of a field."""
    return PREFIX + field.upper()


def parse_settings(environ: Mapping[str, str], **chosen: object) -> Settings:
    """Parse settings from `environ`; `chosen` (command-line values) wins.

    Raises:
        SettingsError: A variable is unknown or a value is invalid.
    """
    known = {variable(name): name for name in Settings.model_fields}
    unknown = [name for name in environ if name.startswith(PREFIX) and name not in known and name not in ALIASES]
    if unknown:
        raise SettingsError(_unknown(name, known) for name in sorted(unknown))
    if disagreeing := [(alias, name) for alias, name in ALIASES.items() if _disagree(environ, alias, name)]:
        raise SettingsError(f"{alias}: contradicts {name}; leave it out" for alias, name in disagreeing)
    values: dict[str, object] = {
        known[ALIASES.get(name, name)]: text for name, text in _aliases_first(environ) if name.startswith(PREFIX)
    }
    try:
        settings = Settings.model_validate(
            {**values, **{name: value for name, value in chosen.items() if value is not None}}
        )
    except ValidationError as error:
        raise SettingsError(_explain(error)) from None
    return settings


def _unknown(name: str, known: Iterable[str]) -> str:
    near = difflib.get_close_matches(name, list(known), n=1)
    return f"{name}: no such setting" + (f"; is {near[0]} meant?" if near else "; see docs/settings.md")


def _disagree(environ: Mapping[str, str], alias: str, name: str) -> bool:
    return alias in environ and name in environ and environ[alias].strip() != environ[name].strip()


def _aliases_first(environ: Mapping[str, str]) -> list[tuple[str, str]]:
    """Sort deprecated aliases first, so that their current names win."""
    return sorted(environ.items(), key=lambda item: item[0] not in ALIASES)


def _explain(error: ValidationError) -> list[str]:
    lines = []
    for problem in error.errors():
        field = str(problem["loc"][0]).removeprefix(PREFIX).lower() if problem["loc"] else ""
        if field not in Settings.model_fields:
            lines.append(str(problem["msg"]).removeprefix("Value error, "))
            continue
        lines.append(f"{variable(field)}: allowed is {allowed(field)}")
    return sorted(set(lines))


def allowed(field: str) -> str:
    """Return the values that a field allows, in words."""
    return str(_extra(field)["allowed"])


def shown_default(field: str) -> str:
    """Return a field's default as docs/settings.md writes it."""
    return str(_extra(field)["shown"])


def _extra(field: str) -> dict[str, Any]:
    extra = Settings.model_fields[field].json_schema_extra
    assert isinstance(extra, dict)
    return extra
