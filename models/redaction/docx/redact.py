"""A Word file without what is masked. In: the original, its tree, the decisions. Out: a file, or a refusal."""

import zipfile
from io import BytesIO

from lxml import etree

from models.cdom.tree import Tree
from models.pii.kinds import Detector
from models.pii.redact import Decisions
from models.redaction.docx.clean import clean_part, local_name
from models.redaction.docx.package import WordPackage, parse, write
from models.redaction.planning.errors import RedactionUnproven
from models.redaction.planning.folded import find_blocks, find_values, fold_text
from models.redaction.planning.plan import RedactionPlan, Reread, plan_redaction
from models.redaction.planning.search import Search, texts_of_tree

MASK = "█████"
"""Says nothing of the length of what stood there."""
_BREAKS = frozenset(("p", "br", "cr", "tr"))
_BLANKS = frozenset(("tab", "ptab"))
_HYPHENS = frozenset(("noBreakHyphen", "softHyphen"))
Origin = tuple[etree._Element, int] | None
"""The text element and the place in it that a character is from; None for what the markup says (tabs, line ends)."""


def redact_docx(data: bytes, tree: Tree, decisions: Decisions, detector: Detector, reread: Reread) -> bytes:
    """Raises `PiiIncomplete`, `RedactionUnproven`, and what parsers raise on broken files."""
    plan = plan_redaction(tree, decisions)
    package = WordPackage(data)
    for name in package.texts():
        root = parse(package.parts[name])
        clean_part(root)
        _mask(root, plan, detector)
        package.parts[name] = write(root)
    made = package.write()
    leak = _find_leak(made, plan, reread)
    if leak is not None:
        raise RedactionUnproven(f"found again in {leak}")
    return made


def _mask(root: etree._Element, plan: RedactionPlan, detector: Detector) -> None:
    chars: list[str] = []
    origins: list[Origin] = []
    _spell(root, chars, origins)
    text = fold_text("".join(chars))
    masked = find_values(text, plan, detector) | find_blocks(text, plan)
    _replace([origins[number] for number in sorted(masked)])


def _spell(element: etree._Element, chars: list[str], origins: list[Origin]) -> None:
    """The part's text in reading order, with where each character is from."""
    for child in element:
        name = local_name(child)
        if name == "t":
            chars += child.text or ""
            origins += [(child, at) for at in range(len(child.text or ""))]
        elif name in _BLANKS or name in _HYPHENS:
            chars.append("\t" if name in _BLANKS else "-")
            origins.append(None)
        _spell(child, chars, origins)
        if name in _BREAKS:
            chars.append("\n")
            origins.append(None)


def _replace(masked: list[Origin]) -> None:
    """Each run of masked characters of an element becomes one mask."""
    gone: dict[int, tuple[etree._Element, set[int]]] = {}
    for origin in masked:
        if origin is not None:
            gone.setdefault(id(origin[0]), (origin[0], set()))[1].add(origin[1])
    for element, places in gone.values():
        text = element.text or ""
        kept = [char if at not in places else MASK if at - 1 not in places else "" for at, char in enumerate(text)]
        element.text = "".join(kept)
        element.set("{http://www.w3.org/XML/1998/namespace}space", "preserve")


def _find_leak(made: bytes, plan: RedactionPlan, reread: Reread) -> str | None:
    """Our reader, then every part's text and bytes without it."""
    search = Search(plan)
    for place, text in texts_of_tree(reread(made)):
        if search.in_text(text):
            return f"reader: {place}"
    with zipfile.ZipFile(BytesIO(made)) as file:
        for name in file.namelist():
            content = file.read(name)
            root = parse(content)
            said = "".join(str(text) for text in root.itertext())
            values = "\n".join(str(value) for one in root.iter() for value in one.attrib.values())
            if search.in_text(said) or search.in_text(values) or search.in_bytes(content):
                return name
    return "raw bytes" if search.in_bytes(made) else None
