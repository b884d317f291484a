"""`quire`: one group of commands, each imported only when it is called.

Knows names and one line of help per command, so that `quire --help` and `quire extract` import no Ray and no database.
"""

import importlib
import os
import sys
import warnings
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import click

from quire.cluster.cli.shared.config_file import SETTINGS, apply_settings, config_path, defaults_of, load_config
from quire.models.cdom.version import SERVICE_VERSION, read_core_state

_COMMANDS: dict[str, tuple[str, str, str]] = {
    "extract": ("documents.extract", "extract", "Read files: Markdown, tables, trees and other outputs."),
    "redact": ("documents.redact", "redact", "Write a copy of a file without personal data and verify it."),
    "inspect": ("documents.inspect", "inspect", "Show the blocks of a document."),
    "explain": ("documents.inspect", "explain", "Say which pass of reading set a block, and by which numbers."),
    "watch": ("documents.watch", "watch", "Read every new document of a folder."),
    "bench": ("documents.bench", "bench", "Measure reading speed and quality on this machine."),
    "up": ("service.up", "up", "Start the database, the cluster and the service."),
    "down": ("service.down", "down", "Drain and stop everything that `up` started."),
    "status": ("service.status", "status", "Show what runs where and the length of the queue."),
    "upload": ("documents.upload", "upload", "Send files and folders to the service."),
    "get": ("documents.get", "get", "Download the results of a document or job."),
    "search": ("documents.search", "search", "Search the service's documents."),
    "mcp": ("documents.mcp", "mcp", "Serve MCP clients over standard input and output."),
    "tour": ("service.tour", "tour", "Send a sample document to the running service and show its tree."),
    "worker": ("service.worker", "worker", "Make this machine a node of a cluster."),
    "license": ("operate.license", "license_group", "Manage licence keys and tokens."),
    "rescan": ("operate.rescan", "rescan", "Scan stored trees for personal data again."),
    "reread": ("operate.reread", "reread", "Read stored originals of older readers again."),
    "erase": ("operate.erase", "erase", "Delete what is stored about a person, with a signed report."),
    "reconcile": ("operate.reconcile", "reconcile", "Compare the database with the stores and repair differences."),
    "migrate": ("service.migrate", "migrate", "Migrate the database to the schema of this version."),
    "keys": ("operate.keys", "keys_group", "Add, revoke and list keys without a restart."),
    "tenant": ("operate.tenant", "tenant_group", "Move documents from one tenant to another."),
    "audit": ("operate.audit", "audit_group", "Check the audit trail."),
    "backup": ("operate.backup", "backup", "Back up database, originals, trees and secrets to a folder."),
    "restore": ("operate.backup", "restore", "Restore a backup into an empty workdir."),
    "doctor": ("service.doctor", "doctor", "Check processor, text recognition, sandbox and disk of this machine."),
    "models": ("operate.models", "models_group", "Check the model files."),
    "reindex": ("operate.reindex", "reindex", "Rebuild the keyword indexes of search."),
    "console": ("operate.console", "console_group", "Manage or serve the hosted console."),
}

_SECTIONS = {"Read files": "extract", "Use the service": "up", "Operate the service": "worker"}
"""Headings of the list of commands, each with the first command below it."""
_PACKAGES = {"console": "quire.serve_apps.console"}
"""Commands of separate packages, hidden when the package is not installed."""


class LazyGroup(click.Group):
    """Commands by name; the module is imported when the command is run or asked for its own help."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the commands whose packages are installed."""
        return [name for name in _COMMANDS if _is_installed(name)]

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        """As click's, with `quire FILE` for `quire extract FILE`, and a guess at what a typo meant."""
        if args and args[0] not in _COMMANDS and _names_document(args[0]):
            args = ["extract", *args]
        if args and not args[0].startswith("-") and self.get_command(ctx, args[0]) is None:
            from quire.cluster.cli.shared.choices import guess  # difflib: only after a typo

            if "/" in args[0] or Path(args[0]).suffix:
                ctx.fail(f"no such file: {args[0]}")
            ctx.fail(f"No such command {args[0]!r}.{guess(args[0], self.list_commands(ctx))}")
        return super().resolve_command(ctx, args)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import and return the command."""
        if not _is_installed(cmd_name):
            return None
        module, attribute, _ = _COMMANDS[cmd_name]
        try:
            command = getattr(importlib.import_module(f"quire.cluster.cli.{module}"), attribute)
        except ModuleNotFoundError as error:
            if (error.name or "").startswith("quire."):
                raise
            raise click.ClickException(
                f"{cmd_name} needs {error.name}, which is not installed: pip install 'quire[service]'"
            ) from None
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands with their short help, without importing them."""
        rows = [(name, _COMMANDS[name][2]) for name in self.list_commands(ctx)]
        starts = [*(list(_COMMANDS).index(first) for first in _SECTIONS.values()), len(_COMMANDS)]
        for heading, start, end in zip(_SECTIONS, starts, starts[1:], strict=False):
            with formatter.section(heading):
                formatter.write_dl([row for row in rows if row[0] in list(_COMMANDS)[start:end]])


def _names_document(argument: str) -> bool:
    return argument == "-" or argument.startswith(("http://", "https://")) or Path(argument).exists()


def _is_installed(name: str) -> bool:
    return name in _COMMANDS and (name not in _PACKAGES or find_spec(_PACKAGES[name]) is not None)


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(
    SERVICE_VERSION, prog_name="quire", message=f"%(prog)s, version %(version)s, reading core {read_core_state()}"
)
@click.pass_context
def cli(ctx: click.Context) -> None:
    """Read documents of all kinds as Markdown, tables, values and search passages, on your own machine.

    quire report.pdf prints a document as Markdown. quire up starts the service with its dashboard.
    """
    name, tables = ctx.invoked_subcommand or "", load_config()
    apply_settings(tables.pop(SETTINGS, {}), os.environ)
    if unknown := [table for table in tables if table not in _COMMANDS]:
        raise click.UsageError(f"{config_path()}: there is no command for the table [{unknown[0]}]")
    if name in tables:
        command = cli.get_command(ctx, name)
        assert command is not None
        ctx.default_map = {name: defaults_of(command, tables[name])}


def main() -> None:
    """Entry point of the `quire` script; exit 2 is a usage error."""
    warnings.simplefilter("ignore")  # deprecations of libraries do not concern users of the terminal
    try:
        sys.exit(cli(standalone_mode=True))
    except Exception as error:
        if sys.flags.dev_mode:  # python -X dev: developers need the traceback
            raise
        from quire.cluster.failure import describe_failure

        click.echo(f"Error: {describe_failure(error)}", err=True)
        sys.exit(1)


if __name__ == "__main__":
    main()
