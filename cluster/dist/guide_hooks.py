"""Hooks of MkDocs (`mkdocs.yml`): the generated page of operations, links that leave docs/, and a missing label."""

import re
from posixpath import dirname, join, normpath

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

from quire.serve_apps.clients.generate import describe_service
from quire.serve_apps.guide.operations import describe_operations

_LINK = re.compile(r"(?<!!)\[([^\]]+)\]\(([^)\s]+)\)")
_ADDRESS = re.compile(r"[a-z]+:|/|#")
_DIALOG = 'data-md-component="search" role="dialog"'
_NOT_SEARCHED = ("decisions/", "design/")
_NOT_SERVED = ("..", "examples/", "sample/")


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the page "Every operation", generated from the OpenAPI document."""
    files.append(File.generated(config, "operations.md", content=describe_operations(describe_service())))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Replace links to files that the guide does not serve by their text; leave pages for builders out of the search."""
    folder = dirname(page.file.src_uri)
    if page.file.src_uri.startswith(_NOT_SEARCHED):
        page.meta["search"] = {"exclude": True}

    def keep_or_unlink(link: re.Match[str]) -> str:
        target = link[2]
        is_served = _ADDRESS.match(target) or not normpath(join(folder, target)).startswith(_NOT_SERVED)
        return link[0] if is_served else link[1]

    return _LINK.sub(keep_or_unlink, markdown)


def on_post_page(output: str, page: Page, config: MkDocsConfig) -> str:
    """Name the search dialog, which the theme does not, and make empty heads of tables cells, for screen readers."""
    return output.replace(_DIALOG, f'{_DIALOG} aria-label="Search"').replace("<th></th>", "<td></td>")


def slugify(text: str, separator: str) -> str:
    """Return the anchor of a heading as GitHub builds it: "See the Blocks" becomes "see-the-blocks"."""
    return re.sub(r"[^\w\- ]", "", text.lower()).strip().replace(" ", separator)
