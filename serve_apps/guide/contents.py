"""The contents of the guide: its pages in reading order, grouped by heading.

A test fails if a file of docs/ or docs/design/ is not listed here.
"""

from pathlib import Path

DOCS = Path(__file__).resolve().parents[2] / "docs"

CONTENTS: dict[str, dict[str, str]] = {
    "Get started": {
        "get-started": "Get started",
        "cli": "The command line",
        "use-with": "Use with other programs",
    },
    "Concepts": {
        "architecture": "Architecture",
        "quality": "Reading quality",
        "glossary": "Glossary",
    },
    "How to": {
        "ui": "Use the dashboard",
        "sdk": "Use Python or TypeScript",
        "extract": "Extract values by a schema",
        "webhooks": "Receive webhooks",
        "sources": "Sync folders and buckets",
        "pii": "Mask personal data",
        "compat": "Use MCP or docling-serve",
        "console": "Offer a hosted console",
        "plugins": "Write a plugin",
    },
    "Reference": {
        "operations": "Every operation",
        "api": "The API",
        "settings": "Settings",
        "errors": "Errors",
        "formats": "Formats",
        "derive": "Fields, entities, chunks",
    },
    "Operations": {
        "operating": "Run one machine",
        "cluster": "Run a cluster",
        "versions": "Versions and deprecation",
    },
    "Development": {
        "development": "Develop Quire",
        "decisions/README": "Decisions",
        "design/README": "Design notes",
        "design/queue": "Queue and state",
        "design/sandbox": "Sandbox",
        "design/reading": "Reading",
        "design/tables": "Tables",
        "design/derive": "Derivations and exports",
        "design/search": "Search",
        "design/pii": "Finding personal data",
        "design/redaction": "Redaction",
        "design/cluster": "Processes and machines",
        "design/api": "API, access and pages",
        "design/clients": "Clients and interfaces",
        "design/testing": "Tests",
    },
}
GENERATED = "operations"
"""This page is generated from the OpenAPI document, so it always matches the service."""


def title_of(name: str) -> str | None:
    """Return the title of a page of the contents, or None for a decision record or an unknown page."""
    return next((pages[name] for pages in CONTENTS.values() if name in pages), None)
