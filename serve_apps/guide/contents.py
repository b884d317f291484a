"""Which pages the guide has, in which order, under which headings. A file of docs/ that is in no list fails a test."""

from pathlib import Path

DOCS = Path(__file__).resolve().parents[2] / "docs"

CONTENTS: dict[str, dict[str, str]] = {
    "Get started": {
        "get-started": "Get started",
        "cli": "The command line",
        "use-with": "Use with …",
        "formats": "Formats",
    },
    "How to": {
        "ui": "The dashboard",
        "sources": "Folders and buckets",
        "webhooks": "Webhooks",
        "pii": "Personal data",
        "sdk": "Python and TypeScript",
        "compat": "MCP and docling-serve",
        "console": "The hosted console",
        "operating": "Run it",
        "cluster": "Run a cluster",
        "plugins": "Plugins",
        "adding": "Add a format, an export, a route",
    },
    "Reference": {
        "operations": "Every operation",
        "api": "The API",
        "settings": "Settings",
        "errors": "Errors",
        "derive": "Fields, entities, chunks",
        "glossary": "Words",
    },
    "Explanation": {
        "architecture": "Architecture",
        "quality": "How well PDFs are read",
        "decisions/README": "Decisions",
        "review": "Review of 0.9.20",
    },
}
GENERATED = "operations"
"""The page that is made of the OpenAPI document, so it cannot drift."""


def title_of(name: str) -> str | None:
    """The title of a page in the contents; None for a decision or an unknown page."""
    return next((pages[name] for pages in CONTENTS.values() if name in pages), None)
