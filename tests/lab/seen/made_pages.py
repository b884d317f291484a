"""Makes web pages and mails by seed. Each word is there once, with the class of its content."""

import quopri
import random
from collections.abc import Callable
from dataclasses import dataclass, field
from html import escape

_LETTERS = {
    "en": "abcdefghijklmnoprstuvw",
    "de": "abcdefghiklmnoprstuwzäöüß",
    "ru": "абвгдежзиклмнопрстух",
    "el": "αβγδεζηθικλμνοπρτυφχ",
    "ja": "あいうえおかきくけこさしすせそ",
    "he": "אבגדהוזחטיכלמנסעפצקרשת",
}


@dataclass
class Maker:
    """The state of one page: its chance, its language, its style sheet and the class of each word."""

    seed: int
    chance: random.Random = field(init=False)
    letters: str = field(init=False)
    words: dict[str, str] = field(default_factory=dict)
    css: list[str] = field(default_factory=list)
    kind: str = ""
    _names: int = 0

    def __post_init__(self) -> None:
        self.chance = random.Random(self.seed)
        self.letters = _LETTERS[self.chance.choice(sorted(_LETTERS))]

    def text(self, low: int = 1, high: int = 6) -> str:
        """A few new words."""
        return " ".join(self._word() for _ in range(self.chance.randint(low, high)))

    def name(self) -> str:
        """A new name of a class."""
        self._names += 1
        return f"{self.chance.choice('abcdefg')}-{self._names}"

    def rule(self, selector: str, body: str) -> None:
        self.css.append(f"{selector} {{ {body} }}")

    def _word(self) -> str:
        while True:
            word = "".join(self.chance.choice(self.letters) for _ in range(self.chance.randint(5, 9)))
            if word not in self.words:
                self.words[word] = self.kind
                return word


def _paragraphs(m: Maker) -> str:
    inline = m.chance.choice(
        ("<b>{}</b>", "<em>{}</em>", '<a href="https://a.example/">{}</a>', "<q>{}</q>", "<s>{}</s>")
    )
    return f"<p>{m.text()} {inline.format(m.text())} {m.text()}<br>{m.text()}</p>"


def _headings(m: Maker) -> str:
    level = m.chance.randint(1, 6)
    return f"<h{level}>{m.text()}</h{level}><p>{m.text()}</p>"


def _lists(m: Maker) -> str:
    tag = m.chance.choice(("ul", "ol", 'ol type="A"', 'ol start="4"', "ol reversed"))
    inner = f"<ol><li>{m.text()}</li><li>{m.text()}</li></ol>"
    return f"<{tag}><li>{m.text()}</li><li>{m.text()}{inner}</li><li><p>{m.text()}</p></li></{tag.split()[0]}>"


def _list_styles(m: Maker) -> str:
    name = m.name()
    style = m.chance.choice(
        ("upper-roman", "lower-alpha", "none", "decimal-leading-zero", "lower-greek", "square", "lower-latin inside")
    )
    m.rule(f"ol.{name}", f"list-style: {style}")
    return f'<ol class="{name}"><li>{m.text()}</li><li>{m.text()}</li><li>{m.text()}</li></ol>'


def _counters(m: Maker) -> str:
    name, form = m.name(), m.chance.randint(0, 2)
    m.rule(f".{name}", f"counter-reset: {name}" + (f" {m.chance.randint(1, 9)}" if form == 1 else ""))
    word = m.text(1, 1)
    style = ", upper-roman" if form == 2 else ""
    m.rule(f".{name} > .item::before", f'counter-increment: {name}; content: "{word} " counter({name}{style}) ". "')
    m.words.pop(word)
    items = "".join(f'<p class="item">{m.text()}</p>' for _ in range(3))
    return f'<div class="{name}">{items}</div>'


def _generated(m: Maker) -> str:
    name, text = m.name(), m.text(1, 3)
    form = m.chance.randint(0, 3)
    if form == 0:
        m.rule(f".{name}::before", f"content: '{text}: '; font-weight: bold")
        return f'<p class="{name}">{m.text()}</p>'
    if form == 1:
        m.rule(f"p.{name}:after", f'content: " " "{text}"')
        return f'<p class="{name}">{m.text()}</p>'
    if form == 2:
        m.rule(f".{name}::after", "content: ' (' attr(data-note) ')'")
        return f'<p class="{name}" data-note="{text}">{m.text()}</p>'
    m.rule(f".{name} td:first-child::before", f'content: "{text} "')
    return f'<table class="{name}" border=1><tr><td>{m.text()}</td><td>{m.text()}</td></tr></table>'


def _hidden(m: Maker) -> str:
    name = m.name()
    form = m.chance.randint(0, 9)
    selector, attributes = f".{name}", f'class="x {name}"'
    match form:
        case 0:
            m.rule(selector, "display: none")
        case 1:
            m.rule(selector, "visibility: hidden")
        case 2:
            m.rule(f"div > .{name}, #no{name}", "display: none !important")
        case 3:
            m.rule(f"div:not(.shown).{name}", "display: none")
        case 4:
            m.rule(f"hr + .{name}", "display: none")
        case 5:
            m.rule(f"hr ~ .{name}:last-child", "display: none")
        case 6:
            m.css.append(f"@media screen and (max-width: 5000px) {{ .{name} {{ display: none }} }}")
        case 7:
            m.css.append(f"@media (min-width: 900px) and (max-width: 100px) {{ .{name} {{ display: none }} }}")
        case 8:
            m.rule(f".{name}.x", "display:block")
            m.rule(selector, "display: none")
        case _:
            m.rule(f":is(.{name}, .no)", "display: none")
    return f"<div><p>{m.text()}</p><hr><div {attributes}>{m.text()}<p>{m.text()}</p></div></div>"


def _visible_inside(m: Maker) -> str:
    name = m.name()
    m.rule(f".{name}", "visibility: hidden")
    m.rule(f".{name} .shown", "visibility: visible")
    return f'<div class="{name}">{m.text()} <p class="shown">{m.text()}</p> {m.text()}</div>'


def _details(m: Maker) -> str:
    opened = m.chance.choice(("", " open"))
    return f"<details{opened}><summary>{m.text()}</summary><p>{m.text()}</p><ul><li>{m.text()}</ul></details>"


def _dialogs(m: Maker) -> str:
    opened = m.chance.choice(("", " open"))
    return (
        f'<dialog{opened} style="position:static"><p>{m.text()}</p></dialog><div popover>{m.text()}</div>'
        f"<p>{m.text()}</p>"
    )


def _shadow(m: Maker) -> str:
    name = m.name()
    style = f"<style>.inner{name} {{ display: none }}</style>" if m.chance.random() < 0.5 else ""
    return (
        f"<x-card><template shadowrootmode=open>{style}<h3>{m.text()}</h3><p class=inner{name}>{m.text()}</p>"
        f"<slot name=head>{m.text()}</slot><div><slot>{m.text()}</slot></div></template>"
        f"<p>{m.text()}</p><b slot=head>{m.text()}</b></x-card><p class=inner{name}>{m.text()}</p>"
    )


def _frames(m: Maker) -> str:
    inside = f"<p>{m.text()}</p><ul><li>{m.text()}</li></ul>"
    return f'<p>{m.text()}</p><iframe width=800 height=400 srcdoc="{escape(inside)}"></iframe><p>{m.text()}</p>'


def _layout(m: Maker) -> str:
    return (
        f"<table width=600 cellpadding=0 cellspacing=0 border=0><tr><td><h2>{m.text()}</h2><p>{m.text()}</p></td>"
        f"<td><table cellspacing=0 border=0><tr><td><p>{m.text()}</p></td></tr><tr><td>{m.text()}</td></tr></table>"
        f"</td></tr><tr><td colspan=2>{m.text()}</td></tr></table>"
    )


def _tables(m: Maker) -> str:
    foot = f"<tfoot><tr><td>{m.text()}</td><td>{m.text()}</td></tr></tfoot>" if m.chance.random() < 0.5 else ""
    rows = "".join(
        f"<tr><td>{m.text()}</td><td><ul><li>{m.text()}</li><li>{m.text()}</li></ul></td></tr>" for _ in range(2)
    )
    return (
        f"<table border=1><caption>{m.text()}</caption><thead><tr><th>{m.text()}</th><th>{m.text()}</th></tr></thead>"
        f"{foot}<tbody>{rows}</tbody></table>"
    )


def _css_tables(m: Maker) -> str:
    name = m.name()
    m.rule(f".{name}", "display: table")
    m.rule(f".{name} > div", "display: table-row")
    m.rule(f".{name} > div > span", "display: table-cell; padding: 3px")
    rows = "".join(f"<div><span>{m.text()}</span><span>{m.text()}</span></div>" for _ in range(3))
    return f'<div class="{name}">{rows}</div>'


def _roles(m: Maker) -> str:
    head = f"<div role=row><div role=columnheader>{m.text()}</div><div role=columnheader>{m.text()}</div></div>"
    rows = "".join(
        f"<div role=row><span role=gridcell>{m.text()}</span> <span role=gridcell>{m.text()}</span></div>"
        for _ in range(2)
    )
    note = m.chance.choice(("", f"<p>{m.text()}</p>"))
    return f"<div role=grid>{note}<div role=rowgroup>{head}{rows}</div></div>"


def _spoken(m: Maker) -> str:
    return (
        f'<p><span aria-hidden="true">{m.text()}</span> {m.text()} '
        f'<span style="position:absolute;width:1px;height:1px;overflow:hidden">{m.text()}</span></p>'
        f'<p aria-label="unseen">{m.text()}</p>'
    )


def _forms(m: Maker) -> str:
    return (
        f"<form><fieldset><legend>{m.text()}</legend><label>{m.text()} <input value='{m.text(1, 2)}'></label>"
        f"<textarea cols=60>{m.text()}</textarea><button>{m.text(1, 2)}</button>"
        f"<input type=submit value='{m.text(1, 2)}'><select><option>{m.text(1, 1)}"
        f"<option selected>{m.text(1, 1)}</select>"
        f"<input type=hidden value='unseen'><input placeholder='{m.text(1, 2)}'></fieldset></form>"
    )


def _fallbacks(m: Maker) -> str:
    return (
        f"<video>unseen words</video><object data='no.swf'><p>{m.text()}</p></object><canvas>unseen more</canvas>"
        f"<progress value=1 max=2>unseen bar</progress><p>{m.text()}</p>"
    )


def _ruby(m: Maker) -> str:
    return f"<p>{m.text()} <ruby>{m.text(1, 1)} <rt> {m.text(1, 1)} </rt></ruby> {m.text()}</p>"


def _terms(m: Maker) -> str:
    return f"<dl><dt>{m.text()}<dd>{m.text()}<dd>{m.text()}<dt>{m.text()}<dd><p>{m.text()}</p></dl>"


def _code(m: Maker) -> str:
    listing = f"<pre><code class=language-python>{m.text()}\n  {m.text()}</code></pre>"
    return f"{listing}<p>{m.text()} <code>{m.text()}</code></p>"


def _figures(m: Maker) -> str:
    pixel = "data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7"
    return (
        f'<figure><img src="{pixel}" width=9 height=9><figcaption>{m.text()}</figcaption></figure>'
        f"<svg width=600 height=60><title>unseen title</title><text y=20>{m.text()}</text>"
        f"<g><text y=40>{m.text()}</text></g></svg>"
    )


def _furniture(m: Maker) -> str:
    return (
        f"<nav><ul><li><a href=/a>{m.text()}</a><li><a href=/b>{m.text()}</a></ul></nav>"
        f"<aside><p>{m.text()}</p></aside><div class=share>{m.text()}</div>"
    )


def _contents(m: Maker) -> str:
    name = m.name()
    m.rule(f".{name}", "display: contents")
    return f'<div class="{name}"><p>{m.text()}</p><span>{m.text()}</span> <template>unseen part</template></div>'


def _blocks_by_style(m: Maker) -> str:
    name = m.name()
    m.rule(f".{name} span", "display: block")
    return f'<div class="{name}"><span>{m.text()}</span><span>{m.text()}</span></div>'


PAGE_CLASSES: dict[str, Callable[[Maker], str]] = {
    "paragraphs": _paragraphs, "headings": _headings, "lists": _lists, "list styles": _list_styles,
    "counters": _counters, "generated": _generated, "hidden": _hidden, "visible inside": _visible_inside,
    "details": _details, "dialogs": _dialogs, "shadow": _shadow, "frames": _frames, "layout": _layout,
    "tables": _tables, "css tables": _css_tables, "roles": _roles, "spoken": _spoken, "forms": _forms,
    "fallbacks": _fallbacks, "ruby": _ruby, "terms": _terms, "code": _code, "figures": _figures,
    "furniture": _furniture, "contents": _contents, "blocks by style": _blocks_by_style,
}  # fmt: skip


def make_page(seed: int) -> tuple[str, dict[str, str]]:
    """A page of eight to fourteen parts, and the class of each of its words."""
    maker = Maker(seed)
    body = "".join(_make_part(maker, PAGE_CLASSES) for _ in range(maker.chance.randint(8, 14)))
    return f"<!DOCTYPE html>{_whole(maker, body)}", maker.words


def _whole(maker: Maker, body: str) -> str:
    css = "\n".join(maker.css)
    return f"<html><head><meta charset=utf-8><style>{css}</style></head><body>{body}</body></html>"


def _make_part(maker: Maker, classes: dict[str, Callable[[Maker], str]]) -> str:
    maker.kind = maker.chance.choice(sorted(classes))
    return classes[maker.kind](maker) + "\n"


def _newsletter(m: Maker) -> str:
    cells = "".join(
        f'<td width=200 valign=top><table role=presentation cellspacing=0><tr><td><p style="margin:0">{m.text()}</p>'
        f'</td></tr><tr><td align=center><a href="https://a.example/" style="display:inline-block">{m.text()}</a></td>'
        "</tr></table></td>"
        for _ in range(2)
    )
    return (
        f'<center><table width="100%" cellpadding="0" cellspacing="0" border="0"><tr><td align=center><table width=600 '
        f"border=0 cellspacing=0 cellpadding=0><tr><td><h1>{m.text()}</h1></td></tr><tr>{cells}</tr><tr><td "
        f'style="font-size:11px">{m.text()}</td></tr></table></td></tr></table></center>'
    )


def _preheader(m: Maker) -> str:
    style = m.chance.choice(("display:none;max-height:0", "display:none!important", "visibility:hidden;font-size:1px"))
    return f'<div style="{style}">{m.text()}</div><p>{m.text()}</p>'


def _conditional(m: Maker) -> str:
    return (
        f"<!--[if mso]><p>{m.text()}</p><![endif]--><!--[if !mso]><!--><p>{m.text()}</p><!--<![endif]-->"
        f"<p>{m.text()}<o:p></o:p></p>"
    )


def _devices(m: Maker) -> str:
    m.css.append(
        ".mobile { display: none !important } @media only screen and (max-width: 480px) "
        "{ .mobile { display: block !important } .desktop { display: none !important } }"
    )
    return f"<div class=desktop><p>{m.text()}</p></div><div class=mobile><p>{m.text()}</p></div>"


def _word_list(m: Maker) -> str:
    return "".join(
        f'<p class=MsoListParagraph style="text-indent:-18pt;mso-list:l0 level1 lfo1"><![if !supportLists]><span '
        f'style="mso-list:Ignore">{number}.<span style="font:7pt Times">&nbsp;&nbsp;</span></span><![endif]>'
        f"{m.text()}<o:p></o:p></p>"
        for number in range(1, 4)
    )


def _quoted(m: Maker) -> str:
    return (
        f'<div class="gmail_quote"><div class="gmail_attr">{m.text()}<br></div><blockquote class="gmail_quote" '
        f'style="border-left:1px solid">{m.text()}<div><p>{m.text()}</p></div></blockquote></div>'
    )


def _signature(m: Maker) -> str:
    return (
        f"<table cellpadding=0 cellspacing=0><tr><td><b>{m.text()}</b><br>{m.text()}</td><td><a href='tel:1'>"
        f"{m.text()}</a><br><a href='mailto:a@b.example'>{m.text()}</a></td></tr></table>"
    )


def _divisions(m: Maker) -> str:
    return f"<div dir=auto>{m.text()}</div><div><br></div><div>{m.text()}<span>&nbsp;</span>{m.text()}</div>"


MAIL_CLASSES: dict[str, Callable[[Maker], str]] = {
    "newsletter": _newsletter, "preheader": _preheader, "conditional": _conditional, "devices": _devices,
    "word list": _word_list, "quoted": _quoted, "signature": _signature, "divisions": _divisions,
    "paragraphs": _paragraphs, "headings": _headings, "lists": _lists, "list styles": _list_styles,
    "tables": _tables, "hidden": _hidden, "layout": _layout,
}  # fmt: skip


def make_mail(seed: int) -> tuple[bytes, str, dict[str, str]]:
    """A mail, the page that is its body, and the class of each of its words."""
    maker = Maker(seed)
    body = "".join(_make_part(maker, MAIL_CLASSES) for _ in range(maker.chance.randint(4, 9)))
    page = _whole(maker, body)
    encoded = quopri.encodestring(page.encode())
    head = (
        b"From: a@a.example\r\nTo: b@b.example\r\nSubject: made\r\nMIME-Version: 1.0\r\n"
        b"Content-Type: text/html; charset=utf-8\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n"
    )
    return head + encoded, page, maker.words
