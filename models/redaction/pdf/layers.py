"""Find the layers (optional content) of a PDF that are off when it is opened."""

from collections.abc import Callable
from typing import Any

from pikepdf import Array, Name, Pdf


def find_layers_off(pdf: Pdf) -> Callable[[Any], bool]:
    """Return a test whether a group or membership is off; unsupported ones count as off."""
    properties = pdf.Root.get("/OCProperties")
    settings = properties.get("/D") if properties is not None else None
    if settings is None:
        return lambda group: False
    base_off = settings.get("/BaseState") == Name.OFF
    on, off = _ids(settings.get("/ON")), _ids(settings.get("/OFF"))

    def is_off(group: Any) -> bool:
        if group.get("/Type") == Name.OCMD:
            if "/VE" in group:
                return True
            members = group.get("/OCGs")
            groups = list(members) if isinstance(members, Array) else [members] if members is not None else []
            return bool(groups) and any(is_off(member) for member in groups)
        return group.objgen in off or (base_off and group.objgen not in on)

    return is_off


def _ids(groups: Any) -> set[tuple[int, int]]:
    return {group.objgen for group in groups} if groups is not None else set()
