"""Markdown rendered as CommonMark: a complete page for a frame without script and without origin."""

from functools import cache

from markdown_it import MarkdownIt

_HEAD = """<!doctype html><html lang="en"><meta charset="utf-8"><title>Markdown</title><style>
body { font: 15px/1.55 system-ui, sans-serif; margin: 1rem 1.25rem; overflow-wrap: anywhere; }
table { border-collapse: collapse; } th, td { border: 1px solid #c9cfdb; padding: .25rem .5rem; vertical-align: top; }
pre { background: #f4f5f8; padding: .75rem; overflow: auto; } img { max-width: 100%; }
</style><main>"""


def render_markdown(text: str) -> str:
    """Return the page. HTML inside the Markdown is kept, so the page must be framed without permissions."""
    return _HEAD + str(_renderer().render(text))


@cache
def _renderer() -> MarkdownIt:
    return MarkdownIt("commonmark", {"html": True}).enable("table")
