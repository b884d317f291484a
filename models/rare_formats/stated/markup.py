"""AsciiDoc, Hangul documents and drawings: the words between their tags and signs."""

import re
from typing import Final, cast

from lxml import etree

from quire.models.extract.coverage.stated.text import NOT_SHOWN, REPEATED, StatedText, part_signs, words_of
from quire.models.extract.formats.common.opc import Package
from quire.models.extract.formats.common.parse_cache import take
from quire.models.extract.formats.common.xml import Element, parse_xml
from quire.models.extract.formats.sniffing.charset import decode_again
from quire.models.rare_formats.hwpx import find_sections
from quire.models.rare_formats.svg import CACHE_KEY as SVG_CACHE_KEY

_UNSPOKEN: Final = re.compile(
    r"(^(?:////[^\n]*\n(?:(?!////)[^\n]*\n){0,2000}////[^\n]*|//[^\n]*|:!?[\w][\w-]*!?:[^\n]*|\[[^\n]{0,500}\][ \t]*$"
    r"|ifn?def::[^\n]*\n(?:(?!endif::)[^\n]*\n){1,500}endif::[^\n]*|(?:ifdef|ifndef|ifeval|endif|include|toc)::[^\n]*"
    r"|(?:image|video|audio)::[^\[\n]{0,500}\[[^\n]{0,500}|(?:NOTE|TIP|IMPORTANT|WARNING|CAUTION):|```[^\n]*)"
    r"|(?=[\[<{(&])(?:\[[.#%][\w.#%-]{0,80}\]|\[\[[^\[\]\n]{1,300}\]\]|<<[^<>\n]{1,300}>>"
    r"|\{[\w-]{1,100}\}(?:[^\s\[\]]{0,500}\[)?|\((?:C|R|TM)\)|&#?\w{1,32};|<\d{1,4}>|\(\(\([^()\n]{0,300}\)\)\))"
    r"|(?<=[\s|])[\d.+*^<>]{0,12}[adehlmsv](?=\|)"
    r"|\b(?=[abhfiklmpsx])(?:(?:image|icon|anchor|indexterm2?):[^\s\[\]]{0,500}\[[^\[\]\n]{0,500}"
    r"|(?:link|xref|mailto|kbd|btn|menu|stem|latexmath|asciimath|pass|footnote|footnoteref):{1,2}[^\s\[\]]{0,500}\["
    r"|(?:https?|ftp|irc)://[^\s\[\]<>]{1,500}\[))",
    re.MULTILINE,
)
"""Comments, attributes, link targets and macros: AsciiDoc that is not text, or replaces other text."""
_HEADER: Final = re.compile(r"(?:(?://|:)[^\n]*\n|\n){0,200}= [^\n]+\n((?:[^\n]+\n){1,200})")
"""Author, revision and attributes below the title of a document."""


def state_asciidoc(data: bytes) -> StatedText:
    """Return the text of AsciiDoc: letters and digits must be in the tree, signs may be, markup may be missing."""
    text = decode_again(data).replace("\r\n", "\n")
    header = _HEADER.match(text)
    people = header[1] if header is not None else ""
    text = text.replace(people, "", 1)
    parts = _UNSPOKEN.split(text)
    letters, signs = part_signs("".join(parts[::2]))
    stated = StatedText(text=[letters], formed=[signs], signs_apart=True)
    stated.allow(NOT_SHOWN, "".join([people, *parts[1::2]]))
    return stated


def state_hwpx(data: bytes) -> StatedText:
    """Return the text of a Hangul document: texts of its sections must be in the tree, formulas may be formed.

    Raises:
        ExtractError: The reader raises it for this file as well.
    """
    package, stated = Package(data), StatedText()
    for name in find_sections(package):
        root = package.xml_again(name)
        if root is None:
            continue
        for heads in root.iter("{*}header", "{*}footer"):
            stated.allow(REPEATED, words_of(heads))
            heads.clear()
        stated.formed += [words_of(node) for node in root.iter("{*}script")]
        stated.text += ["".join(node.itertext()) for node in root.iter("{*}t")]
    return stated


def state_svg(data: bytes) -> StatedText:
    """Return the texts of a drawing; titles and descriptions may be missing.

    Raises:
        ExtractError: The reader raises it for this file as well.
    """
    root = cast(Element | None, take(SVG_CACHE_KEY, data))
    root, stated = parse_xml(data) if root is None else root, StatedText()
    stated.other[NOT_SHOWN] = [words_of(node) for node in root.iter("{*}title", "{*}desc")]
    etree.strip_elements(root, "{*}title", "{*}desc", "{*}style", "{*}script", with_tail=False)
    stated.text += [words_of(node) for node in root.iter("{*}text", "{*}foreignObject")]
    return stated
