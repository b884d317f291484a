"""Kind of a text file, from its first kilobytes: markup, mail, records, light markup, or plain text."""

import re
from typing import Final

from quire.models.cdom.errors import UnsupportedFormat
from quire.models.cdom.original import Format
from quire.models.extract.formats.sniffing.charset import decode_text, is_text
from quire.models.extract.formats.sniffing.records import looks_delimited

LOOKED_AT: Final = 65_536
"""Bytes of a text that are examined."""

_MARKUP: Final = re.compile(
    r"<(?:!doctype\s+html|html|head|body|title|meta|div|p|table|h[1-6]|script|style|article|main|section|ul|ol"
    r"|dl|dt|dd|li|address|a|b|i|em|strong|small|img|label|tr|td|thead|tbody|aside|form|fieldset|header|nav|footer|blockquote|center|font|figure|details|span|pre|hr|br)[\s>/]",
    re.IGNORECASE,
)
_LEADING: Final = re.compile(r"(?:\s+|<!--.*?-->|<\?[A-Za-z][^>]*\?>)*", re.DOTALL)
_JATS: Final = re.compile(
    r"<!DOCTYPE\s+article\b[^>]*(?:JATS|NLM|Journal|Archiving)|<article\b[^>]*(?:dtd-version|article-type|jats)"
    r"|<article\b[^>]*>\s*<front>|<article-meta>",
    re.IGNORECASE,
)
_FLAT: Final = re.compile(
    r"<office:document\b[^>]{0,8000}?\soffice:mimetype=[\"']application/vnd\.oasis\.opendocument\.([a-z]{4,12})"
)
"""OpenDocument in a single XML file: its first element states its kind."""
_FLAT_FORMATS: Final = {
    "text": Format.ODT, "spreadsheet": Format.ODS, "presentation": Format.ODP, "graphics": Format.ODP,
}  # fmt: skip
_WORKBOOK_2003: Final = re.compile(
    r"<(?:\w+:)?Workbook\b[^>]{0,2000}[\"']urn:schemas-microsoft-com:office:spreadsheet[\"']"
)
_FLAT_OPC: Final = re.compile(
    r"<(?:\w+:)?package\b[^>]{0,2000}[\"']http://schemas\.microsoft\.com/office/2006/xmlPackage"
)
_WORD_2003: Final = re.compile(r"<(?:\w+:)?wordDocument\b")
_FLAT_PARTS: Final = {"/ppt/presentation.xml": Format.PPTX, "/xl/workbook.xml": Format.XLSX}
XML_TEXT: Final = re.compile(
    r"(?:<!DOCTYPE\s+\w+\s+PUBLIC\s+[\"']-//OASIS//DTD DocBook|<(?:FictionBook|rss)[\s>]"
    r"|<(?:\w+:)?(?:feed|RDF)\s[^<>]{0,4000}[\"'](?:http://www\.w3\.org/2005/Atom|http://purl\.org/rss/1\.0/)[\"']"
    r"|<\w+\s[^<>]{0,4000}[\"']http://docbook\.org/ns/docbook[\"'])"
)
"""How such a file begins after its XML declaration."""
_EMLX: Final = re.compile(r"\A\d{1,10} *\n(?=[A-Za-z-]{2,40}:)")
"""The first line of a mail of Apple Mail: its length in bytes."""
_NEXT_MAIL: Final = re.compile(rb"\n\r?\nFrom \S[^\r\n]{0,300}\d{4}[^\r\n]{0,40}\r?\n[A-Za-z-]{2,60}:")
_HEADER: Final = re.compile(r"([A-Za-z][A-Za-z0-9-]{1,60})[ \t]*:(?!//)")
_STRANGE_LINES: Final = 2
"""Lines among a mail's headers that may be invalid: programs break long ones without a blank."""
_MAIL_HEADERS: Final = frozenset(
    (
        "from", "to", "cc", "subject", "date", "received", "return-path", "message-id", "mime-version", "delivered-to",
        "content-type", "reply-to", "sender", "x-mailer", "in-reply-to", "references", "dkim-signature", "bcc",
        "content-transfer-encoding", "x-received", "authentication-results", "x-mozilla-status", "x-unsent",
        "envelope-to", "resent-from", "x-original-to", "status", "x-gm-thrid", "snapshot-content-location",
    )
)  # fmt: skip
_SURE_HEADERS: Final = frozenset(("received", "return-path", "message-id", "mime-version", "delivered-to"))
_PAIRS: Final = ({"from", "to"}, {"from", "subject"}, {"to", "subject"}, {"from", "date"})
_WEB_ARCHIVE: Final = re.compile(r"^(?:snapshot-content-location:|content-type:\s*multipart/related)", re.I | re.M)
_SAVED_BY: Final = re.compile(r"^from:\s*[<\"]?saved by|^snapshot-content-location:", re.I | re.M)
_MARKDOWN: Final = tuple(
    re.compile(pattern, re.MULTILINE)
    for pattern in (
        r"^#{1,6} +\S", r"^(?:```|~~~)", r"(?<!\[)\[[^\]\n]{1,300}\]\((?:[^)\s\]]|\](?!\())+\)",
        r"^\|? *:?-{1,}:? *\|[ :|-]*$",
        r"^[^\n]+\n(?:={3,}|-{3,}) *$",
        r"^[-*+] +\S", r"\*\*[^*\n]+\*\*", r"^> +\S", r"^\[[^\]\n]+\]: +\S", r"!\[[^\]\n]*\]\(", r"`[^`\n]+`",
        r"^\d+\. +\S", r"\A---\n.*?\n---\n",
    )
)  # fmt: skip
_ASCIIDOC: Final = tuple(
    re.compile(pattern, re.MULTILINE)
    for pattern in (
        r"^={1,6} +\S", r"^\|===\s*$", r"^:[a-zA-Z][\w-]*:(?: |$)",
        r"^\[(?:source|quote|NOTE|TIP|cols|horizontal|\[|#|\.)[^\n]*\]$",
        r"^(?:NOTE|TIP|WARNING|IMPORTANT|CAUTION): \S", r"^(?:----|====|\.\.\.\.|\+\+\+\+|____)\s*$",
        r"(?:link|xref|image|include)::?[^\s\[]+\[", r"^\*{1,5} +\S", r"^\.{1,5} +\S", r"^\.[A-Z][^\n]+$",
        r"https?://[^\s\[]+\[[^\]\n]+\]", r"<<[\w-]+(?:,[^>\n]+)?>>",
    )
)  # fmt: skip
_SVG: Final = re.compile(
    r"(?:<!DOCTYPE\s+svg\b[^>\[]*(?:\[[^\]]*\]\s*)?>\s*)?(?:<!--.*?-->\s*)*<(?:svg:)?svg\b", re.DOTALL | re.IGNORECASE
)
_KNOWN: Final = re.compile(r"\s*(?:BEGIN:V(?:CALENDAR|CARD)\b|WEBVTT\b|\d+\n\d\d:\d\d:\d\d,\d{3} --> )", re.IGNORECASE)
"""Calendars, contacts and subtitles."""
_TYPST: Final = re.compile(
    r"^#(?:set [\w.-]{1,40}\(|show(?::| [\w.\"<]{1,40}[^\n:]{0,80}:) ?\S|let [\w-]{1,60} ?(?:=|\([^\n]{0,300}\) ?=)"
    r"|(?:import|include) \"[^\"\n]{1,200}(?:\.typ|:\d[\d.]*)\")",
    re.MULTILINE,
)
_TYPST_CALL: Final = re.compile(
    r"^#(?:table|figure|image|align|grid|text|heading|link|pagebreak|v|h|quote|box|block)[(\[]", re.MULTILINE
)
_TYPST_HEADING: Final = re.compile(r"^={1,6} \S", re.MULTILINE)
"""Commands of Typst: those that no other language has, and those that comments of programs may look like."""
_LATEX: Final = re.compile(
    r"^[ \t]*\\(?:document(?:class|style)\b|begin\{document\}|(?:sub)*section\*?\{|chapter\*?\{)", re.MULTILINE
)
_ORG: Final = re.compile(
    r"^[ \t]*#\+(?:title|author|date|options|startup|begin_(?:src|quote|example|center|verse)|caption|tblfm|property"
    r"|latex_\w{1,20}|filetags|language|include|html_\w{1,20}|export_\w{1,30}|toc)\b|^\*{1,8} (?:TODO|DONE) \S",
    re.MULTILINE | re.IGNORECASE,
)
_RST_SURE: Final = re.compile(
    r"^[ \t]*\.\. (?:_[^:\n]{1,200}:|\|[^|\n]{1,100}\| |\[[#*\w]{1,30}\] )|^[ \t]*\.\. [\w:.+-]{1,60}::"
    r"|:[a-zA-Z][\w:+-]{1,40}:`[^`\n]{1,300}`|^[ \t]*\+(?:-{2,}\+)+[ \t]*$|`[^`\n<>]{1,200}<[^<>\n`]{1,500}>`__?",
    re.MULTILINE,
)
_RST_TITLE: Final = re.compile(
    r"^(?=[^\n]{0,200}[^\W_])(?:[^\s#*+>|.-][^\n]{0,200})\n([=~^\"'`+*#-])\1{2,200}[ \t]*$", re.MULTILINE
)
_RST_MORE: Final = re.compile(
    r"``[^`\n]{1,300}``|^\S[^\n]{0,300}::[ \t]*$|^[*#=]{4,200}\n(?=[^\n]{0,200}[^\W_])[^\n]{1,200}\n[*#=]{4,200}$",
    re.MULTILINE,
)
"""Marks of reStructuredText: those that only it has, titles, and those that it shares."""
_FENCED: Final = re.compile(r"^[ \t]{0,8}(```|~~~).{0,20000}?^[ \t]{0,8}\1", re.MULTILINE | re.DOTALL)
"""Code in Markdown, which may be of any other markup."""
_TABLE_RULE: Final = re.compile(r"^\|? *:?-+:? *\|(?: *:?-+:? *\|?)*$", re.MULTILINE)
_STRONG: Final = 2
"""Kinds of marks that a light markup must have; a heading or a table counts twice."""


def sniff_text(data: bytes) -> Format:
    """Return the kind of a text file.

    Raises:
        UnsupportedFormat: The bytes are not text.
    """
    if not data:
        raise UnsupportedFormat("the file is empty")
    if not is_text(data):
        raise UnsupportedFormat("the content is neither text nor a known file format")
    text = decode_text(data[:LOOKED_AT]).text.replace("\r\n", "\n").replace("\r", "\n").lstrip("\ufeff")
    if not text.strip():
        return Format.TXT
    start = text[_LEADING.match(text).end() :] if _LEADING.match(text) else text  # type: ignore[union-attr]
    if start.startswith("<"):
        return _sniff_markup(start, text)
    if (mail := _sniff_mail(_EMLX.sub("", text, count=1))) is not None:
        return Format.MBOX if mail is Format.EML and is_mailbox(data) else mail
    return _sniff_light(text)


def _sniff_markup(start: str, text: str) -> Format:
    """Return the kind of a text that begins with a tag."""
    if (flat := _FLAT.match(start)) is not None and flat.group(1) in _FLAT_FORMATS:
        return _FLAT_FORMATS[flat.group(1)]
    if (office := _sniff_office_xml(start)) is not None:
        return office
    if _SVG.match(start):
        return Format.SVG
    if _JATS.search(text[:8192]):
        return Format.JATS
    if not XML_TEXT.match(start) and (_MARKUP.match(start) or "<html" in text[:2048].lower()):
        return Format.HTML
    return Format.TXT


def _sniff_office_xml(start: str) -> Format | None:
    """Return the format of a 2003 XML file or of an Office package in a single XML file (Flat OPC)."""
    if _WORKBOOK_2003.match(start):
        return Format.XLS
    if _WORD_2003.match(start):
        return Format.DOCX
    if not _FLAT_OPC.match(start):
        return None
    return next((format_ for part, format_ in _FLAT_PARTS.items() if part in start), Format.DOCX)


def is_mailbox(data: bytes) -> bool:
    """Return whether the file has several mails, each after a line that begins with `From `."""
    return data.startswith(b"From ") and _NEXT_MAIL.search(data) is not None


def _sniff_mail(text: str) -> Format | None:
    """Return a mail format if the first lines are headers, several of which only mail has."""
    if text.startswith("From ") and "\n" in text:
        text = text[text.index("\n") + 1 :]
    names: list[str] = []
    invalid_lines = 0
    for line in text.lstrip("\n").split("\n")[:200]:
        if not line:
            break
        if line[0] in " \t":
            continue
        match = _HEADER.match(line)
        if match is None:
            invalid_lines += 1
            if invalid_lines > _STRANGE_LINES or not names:
                return None if len(names) < 3 else _mail_of(names, text)
            continue
        names.append(match.group(1).lower())
    return _mail_of(names, text)


def _mail_of(names: list[str], text: str) -> Format | None:
    known = {name for name in names if name in _MAIL_HEADERS}
    has_pair = any(pair <= known for pair in _PAIRS)
    if not has_pair and not (len(known) >= 2 and known & _SURE_HEADERS) and len(known) < 3:
        return None
    head = text[:8192]
    return Format.MHTML if _WEB_ARCHIVE.search(head) and _SAVED_BY.search(head) else Format.EML


def _sniff_light(text: str) -> Format:
    if _KNOWN.match(text):
        return Format.TXT
    if (typeset := _sniff_typeset(text)) is not None:
        return typeset
    if text.startswith("{") and '"cells"' in text and '"cell_type"' in text:
        return Format.MARKDOWN  # a notebook
    markdown, asciidoc = (_count_marks(text, marks) for marks in (_MARKDOWN, _ASCIIDOC))
    if _TABLE_RULE.search(text) and "|===" not in text:
        return Format.MARKDOWN
    if max(markdown, asciidoc) >= _STRONG + 1 and not _is_records(text):
        return Format.ASCIIDOC if asciidoc > markdown else Format.MARKDOWN
    if looks_delimited(text):
        return Format.CSV
    if max(markdown, asciidoc) >= _STRONG:
        return Format.ASCIIDOC if asciidoc > markdown else Format.MARKDOWN
    return Format.TXT


def _sniff_typeset(text: str) -> Format | None:
    """Return LaTeX, Org, Typst or reStructuredText by marks that the other light markups do not have."""
    if text.startswith("{"):
        return None  # JSON, such as a notebook, may quote any markup
    code = _FENCED.sub("", text)
    for format_, mark in ((Format.LATEX, _LATEX), (Format.TYPST, _TYPST), (Format.ORG, _ORG)):
        if mark.search(code):
            return format_
    if _TYPST_CALL.search(code) and _TYPST_HEADING.search(code):
        return Format.TYPST
    if _RST_SURE.search(code) and (_RST_TITLE.search(code) or len(_RST_SURE.findall(code)) > 1):
        return Format.RST
    return Format.RST if _RST_TITLE.search(code) and len(_RST_MORE.findall(code)) > 1 and "\n```" not in text else None


def _is_records(text: str) -> bool:
    """Return whether the text is records that contain marks: their first line looks like a record, not like markup."""
    first = next((line for line in text.split("\n") if line.strip()), "")
    return looks_delimited(text) and not first.startswith(("#", "=", "-", "*", ">", "|", "`", ":"))


def _count_marks(text: str, marks: tuple[re.Pattern[str], ...]) -> int:
    """Count the kinds of marks in the text; the first kind, a heading, counts twice."""
    return sum((1 + (index == 0)) for index, mark in enumerate(marks) if mark.search(text))
