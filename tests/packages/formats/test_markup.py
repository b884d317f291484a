"""LaTeX, Org, reStructuredText and Typst: made files with known content, and bounds on hostile ones."""

import random
from time import process_time

import pytest

from quire.models.cdom.original import Format
from quire.models.cdom.tree import BlockType, Tree
from quire.models.extract.formats.sniffing.signatures import sniff
from tests.models.extract.flow_trees import of_type, read_tree, rows_of, texts

WORDS = {
    "en": ("tide", "harbour", "crane", "rope", "north", "signal", "winter", "ledger", "mill", "stone", "bridge"),
    "de": ("Flut", "Häfen", "Krän", "Größe", "Straße", "Brücke", "Öl", "Übersicht", "Maß", "Fähre", "Zähler"),
    "ru": ("прилив", "гавань", "кран", "канат", "север", "сигнал", "зима", "мост", "канал", "камень", "берег"),
    "zh": ("潮水", "港口", "吊车", "绳索", "北方", "信号", "冬天", "账本", "磨坊", "石头", "桥梁", "运河"),
}
MARKS = {
    "latex": (r"\textbf{%s}", r"\emph{%s}", r"\texttt{%s}", r"\href{https://x.org/a}{%s}"),
    "org": ("*%s*", "/%s/", "=%s=", "[[https://x.org/a][%s]]"),
    "rst": ("**%s**", "*%s*", "``%s``", "`%s <https://x.org/a>`__"),
    "typst": ("*%s*", "_%s_", "`%s`", '#link("https://x.org/a")[%s]'),
}


class Made:
    """The content of one made file: words that no other place of it has."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self.language = self._random.choice(sorted(WORDS))
        self._count = 0
        self.title, self.heading, self.sub = self.words(2), self.words(3), self.words(2)
        self.marked = [self.words(1) for _ in range(4)]
        self.items = [self.words(2) for _ in range(self._random.randint(2, 5))]
        self.deep = self.words(2)
        self.cells = [[self.words(1) for _ in range(3)] for _ in range(self._random.randint(2, 4))]
        self.caption, self.note, self.code = self.words(2), self.words(3), f"print({seed})"

    def words(self, count: int) -> str:
        """Return words with a number that makes them the only ones of the file."""
        self._count += 1
        return " ".join(self._random.sample(WORDS[self.language], count)) + f" {self._count}x"


def latex(made: Made) -> str:
    rows = " \\\\\n".join(" & ".join(row) for row in made.cells)
    items = "".join(f"\\item {item}\n" for item in made.items)
    marked = " ".join(mark % word for mark, word in zip(MARKS["latex"], made.marked, strict=True))
    return rf"""\documentclass{{article}}
% remark lost
\usepackage{{hyperref}}
\title{{{made.title}}}
\begin{{document}}
\maketitle
\section{{{made.heading}}}
First {marked} with $x^2$ and 5\,\% note\footnote{{{made.note}}}.
\begin{{itemize}}
{items}\begin{{enumerate}}
\item {made.deep}
\end{{enumerate}}
\end{{itemize}}
\begin{{table}}[ht]
\caption{{{made.caption}}}
\begin{{tabular}}{{lll}}
\hline
{rows} \\
\hline
\end{{tabular}}
\end{{table}}
\begin{{equation}}
a = b
\end{{equation}}
\begin{{verbatim}}
{made.code}
\end{{verbatim}}
\subsection{{{made.sub}}}
Last.
\end{{document}}
"""


def org(made: Made) -> str:
    rows = "\n".join("| " + " | ".join(row) + " |" for row in made.cells)
    items = "\n".join(f"- {item}" for item in made.items)
    marked = " ".join(mark % word for mark, word in zip(MARKS["org"], made.marked, strict=True))
    return f"""#+TITLE: {made.title}
#+OPTIONS: toc:nil
# remark lost

* {made.heading} :tag:
:PROPERTIES:
:ID: lost
:END:
First {marked} with \\(x^2\\) and note[fn:1].

{items}
  1. {made.deep}

#+CAPTION: {made.caption}
{rows}

\\begin{{equation}}
a = b
\\end{{equation}}

#+BEGIN_SRC python
{made.code}
#+END_SRC

** {made.sub}
Last.

[fn:1] {made.note}
"""


def rst(made: Made) -> str:
    rule = "+" + "+".join("-" * 40 for _ in range(3)) + "+"
    rows = f"\n{rule}\n".join("|" + "|".join(f" {cell}".ljust(40 - _wide(cell)) for cell in row) + "|"
                              for row in made.cells)  # fmt: skip
    items = "\n".join(f"* {item}" for item in made.items)
    marked = " ".join(mark % word for mark, word in zip(MARKS["rst"], made.marked, strict=True))
    return f"""{made.title}
{"=" * 60}

.. remark lost

{made.heading}
{"-" * 60}

First {marked} with :math:`x^2` and note [1]_.

{items}

  1. {made.deep}

.. table:: {made.caption}

   {rule}
   {rows.replace(chr(10), chr(10) + "   ")}
   {rule}

.. math::

   a = b

.. code-block:: python

   {made.code}

{made.sub}
{"~" * 60}

Last.

.. [1] {made.note}
"""


def _wide(text: str) -> int:
    return sum("\u4e00" <= letter <= "\u9fff" for letter in text)


def typst(made: Made) -> str:
    cells = ",\n  ".join(", ".join(f"[{cell}]" for cell in row) for row in made.cells)
    items = "\n".join(f"- {item}" for item in made.items)
    marked = " ".join(mark % word for mark, word in zip(MARKS["typst"], made.marked, strict=True))
    return f"""#set page(paper: "a4")
// remark lost
= {made.title}
== {made.heading}
First {marked} with $x^2$ and note#footnote[{made.note}].

{items}
  + {made.deep}

#figure(
  table(columns: 3,
  {cells}),
  caption: [{made.caption}],
) <lost>

$ a = b $

```python
{made.code}
```

=== {made.sub}
Last.
"""


MAKERS = {"latex": latex, "org": org, "rst": rst, "typst": typst}


def find_faults(made: Made, tree: Tree, kind: str) -> list[str]:
    """Return what a tree has wrong of a made file."""
    headings = [(block.text, block.level) for block in of_type(tree, BlockType.HEADING)]
    paragraph = next((block for block in of_type(tree, BlockType.PARAGRAPH) if block.text.startswith("First")), None)
    spans = {paragraph.text[span.start : span.end]: span for span in paragraph.spans} if paragraph else {}
    bold, italic, code, link = (spans.get(word) for word in made.marked)
    tables = of_type(tree, BlockType.TABLE)
    lost = [page.characters.lost for page in tree.coverage.pages if page.characters] if tree.coverage else [-1]
    checks = {
        "format": tree.source.format == kind,
        "headings": headings == [(made.title, 1), (made.heading, 2), (made.sub, 3)],
        "marks": bool(bold and bold.bold and italic and italic.italic and code and code.code),
        "link": bool(link and link.href == "https://x.org/a"),
        "formulas": bool(paragraph and "$x^2$" in paragraph.text) and texts(tree, BlockType.FORMULA) == ["a = b"],
        "items": [block.text for block in of_type(tree, BlockType.LIST_ITEM)] == [*made.items, f"1. {made.deep}"],
        "level": of_type(tree, BlockType.LIST_ITEM)[-1].level == 2,
        "table": bool(tables) and rows_of(tables[0]) == made.cells,
        "caption": any(made.caption in text for text in texts(tree)),
        "code": texts(tree, BlockType.CODE) == [made.code],
        "note": any(text.endswith(made.note) for text in texts(tree)),
        "remark": not any("lost" in text for text in texts(tree)),
        "coverage": lost == [0],
    }
    return [name for name, holds in checks.items() if not holds]


@pytest.mark.parametrize("kind", MAKERS)
def test_made_files_of_a_markup_have_all_their_content(kind: str) -> None:
    wrong = {}
    for seed in range(20):
        made = Made(seed)
        if faults := find_faults(made, read_tree(MAKERS[kind](made).encode()), kind):
            wrong[seed, made.language] = faults
    assert wrong == {}


def test_sniffing_keeps_other_texts_with_such_marks_apart() -> None:
    for text, format_ in (
        ("#include <stdio.h>\n#include \"x.h\"\nint main() {}\n", Format.TXT),
        ("# Head\n\n```latex\n\\section{One}\n\\documentclass{article}\n```\n", Format.MARKDOWN),
        ("Head\n====\n\nWords and `code`.\n\n- a\n- b\n", Format.MARKDOWN),
        ("= Head\n:toc:\n\n|===\n|a\n|===\n", Format.ASCIIDOC),
        ("* one\n* two\n", Format.TXT),
        ("Head\n====\n\n``code`` and :ref:`x`\n", Format.RST),
        ("\\section{One}\nWords.\n", Format.LATEX),
        ("* TODO one\nwords\n", Format.ORG),
        ("#let a = 1\n= Head\n", Format.TYPST),
    ):  # fmt: skip
        assert (sniff(text.encode()), text) == (format_, text) or format_ is Format.TXT


def test_macros_labels_and_accents_of_latex_are_shown() -> None:
    source = r"""\documentclass{article}
\newcommand{\who}[2][Dr.]{#1 \textbf{#2}}
\begin{document}
\section{One}\label{a}
\who{Smith}, \who[Prof.]{Lee} in K\"oln, caf\'{e}, na\"{\i}ve, \o, see \ref{b} and \cite{k}.
\section{Two}\label{b}
\begin{tabular}{ll}\toprule H & I \\ \midrule \multicolumn{2}{c}{wide} \\ a & b \\ \bottomrule\end{tabular}
\begin{thebibliography}{9}\bibitem{k} Knuth.\end{thebibliography}
\end{document}"""
    tree = read_tree(source.encode())
    assert texts(tree, BlockType.PARAGRAPH)[0] == "Dr. Smith, Prof. Lee in Köln, café, naïve, ø, see 2 and [1]."
    table = of_type(tree, BlockType.TABLE)[0]
    assert rows_of(table) == [["H", "I"], ["wide"], ["a", "b"]]
    assert table.table is not None
    assert [cell.header for cell in table.table.cells] == [True, True, False, False, False]


def test_nothing_is_included_from_elsewhere() -> None:
    for source in (
        ".. include:: /etc/passwd\n\n.. csv-table:: a\n   :file: /etc/passwd\n\n.. raw:: html\n   :file: /etc/passwd\n",
        "\\documentclass{article}\\begin{document}a\\input{/etc/passwd}\\end{document}",
        "#+TITLE: a\n#+INCLUDE: /etc/passwd\n",
        '= A\n#set page(width: 1cm)\n#include "/etc/passwd"\n#read("/etc/passwd")\n',
    ):
        assert not any("root:" in text for text in texts(read_tree(source.encode())))


@pytest.mark.parametrize(
    "source",
    [
        "\\documentclass{a}\\begin{document}" + "{" * 20_000,
        "\\documentclass{a}\\newcommand{\\x}{\\x\\x}\\begin{document}\\x\\end{document}",
        "\\documentclass{a}\\newcommand{\\x}{aa}\\newcommand{\\y}{\\x\\x}\\begin{document}" + "\\y" * 20_000,
        "\\documentclass{a}\\begin{document}" + "\\begin{itemize}\\item a" * 3_000,
        "\\documentclass{a}\\begin{document}" + "$a" * 20_000 + "\\begin{tabular}{l}" * 3_000,
        "#set page(a: 1)\n" + "#f(" * 10_000,
        "#set page(a: 1)\n" + "#f[" * 10_000 + "]" * 10_000,
        "#+TITLE: a\n" + "*/_+" * 10_000 + "\n" + "  - a\n" * 5_000,
        "#+TITLE: a\n" + "".join(" " * depth + "- a\n" for depth in range(1_000)),
        "A\n===\n\n.. x::\n\n" + "".join("   " * depth + f".. x{depth}::\n\n" for depth in range(300)),
        "A\n===\n\n:a:`b` ``c``\n\n" + "".join("  " * depth + "* a\n\n" for depth in range(1_000)),
        ".. |a| replace:: |b|\n.. |b| replace:: |a|\n\n:x:`a` |a|\n",
        "A\n===\n\n``c`` " + "*a `b " * 10_000 + ":x:`y`\n",
    ],
)  # fmt: skip
def test_hostile_markup_is_read_within_seconds(source: str) -> None:
    began = process_time()
    assert read_tree(source.encode()).pages
    assert process_time() - began < 20
