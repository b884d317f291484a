"""`quire console`: what the provider of a hosted console does about tenants, plans and accounts; or serves it alone."""

import hashlib
import secrets
from pathlib import Path

import click

from quire.cluster.cli.shared.database import opened, runtime_of
from quire.cluster.cli.shared.options import CommandStopped, settings_from, workdir_option
from quire.cluster.errors import ClusterError
from quire.cluster.serve.console_ports import ConsoleDatabase
from quire.cluster.start.console_only import serve_console
from quire.serve_apps.console.store import accounts, plans
from quire.serve_apps.console.store.rows import TenantPlan

_COUNT = click.IntRange(min=1)


@click.group("console")
def console_group() -> None:
    """Manage or serve the hosted console."""


@console_group.command()
@click.option("--engine", help="URL of the engine (SVC_CONSOLE_ENGINE). SVC_CONSOLE_KEY holds its key.")
@click.option("--host", help="Address to listen on (SVC_HOST).")
@click.option("--port", type=int, help="HTTP port (SVC_PORT).")
@workdir_option
def serve(engine: str | None, host: str | None, port: int | None, workdir: Path | None) -> None:
    """Serve the console alone, in front of a remote engine; in the foreground, without Ray."""
    settings = settings_from(workdir, host=host, port=port, console_engine=engine)
    click.echo(f"console: http://{settings.host}:{settings.port}", err=True)
    try:
        serve_console(settings)
    except ClusterError as error:
        raise CommandStopped(str(error)) from None


@console_group.command()
@workdir_option
def tenants(workdir: Path | None) -> None:
    """All tenants: id, address, plan, this month's documents and pages, state."""
    with opened(runtime_of(workdir)) as database:
        rows = plans.list_tenants(database)
    for row in rows:
        state = "closed" if row.closed_at else "in use" if row.approved_at else "waits for approval"
        used = f"{row.documents} documents {row.pages} pages"
        click.echo("\t".join((row.tenant_id, row.email or "-", row.plan, used, state)))


@console_group.command()
@click.argument("tenant")
@click.argument("plan")
@workdir_option
def plan(tenant: str, plan: str, workdir: Path | None) -> None:
    """Put TENANT (its id or an account's address) on PLAN, from the next request on."""
    with opened(runtime_of(workdir)) as database:
        changed = plans.change_plan(ConsoleDatabase(database), tenant.strip().lower(), plan)
    click.echo(f"{changed} is on {plan}")


@console_group.command("plans")
@workdir_option
def show_plans(workdir: Path | None) -> None:
    """All plans and what they allow."""
    with opened(runtime_of(workdir)) as database:
        for plan in plans.list_plans(database):
            pages = plan.monthly_pages if plan.monthly_pages is not None else "unlimited"
            kept = f"{plan.retention_days} days" if plan.retention_days else "for ever"
            click.echo(
                f"{plan.name}\t{pages} pages a month\t{plan.concurrent_documents} documents at once\tkept {kept}"
            )


@console_group.command("define-plan")
@click.argument("name")
@click.option("--pages", type=_COUNT, help="Pages per month. The default is unlimited.")
@click.option(
    "--documents", type=_COUNT, default=20, show_default=True, help="Maximum number of documents in progress."
)
@click.option("--retention-days", type=_COUNT, help="Days to keep results; unlimited by default.")
@workdir_option
def define_plan(name: str, pages: int | None, documents: int, retention_days: int | None, workdir: Path | None) -> None:
    """Make a plan or change it for everybody who is on it."""
    if not name.isidentifier():
        raise CommandStopped("a plan's name is letters, digits and underscores")
    plan = TenantPlan(name=name, monthly_pages=pages, concurrent_documents=documents, retention_days=retention_days)
    with opened(runtime_of(workdir)) as database:
        plans.define_plan(ConsoleDatabase(database), plan)
    click.echo(f"{name} is defined")


@console_group.command()
@click.argument("email")
@workdir_option
def approve(email: str, workdir: Path | None) -> None:
    """Let an account in (SVC_CONSOLE_SIGN_UP=approved)."""
    with opened(runtime_of(workdir)) as database:
        if not accounts.approve(ConsoleDatabase(database), _address(email)):
            raise CommandStopped(f"no such account: {email}")
    click.echo(f"{email} may sign in")


@console_group.command("reset-password")
@click.argument("email")
@workdir_option
def reset_password(email: str, workdir: Path | None) -> None:
    """Print a link with which EMAIL sets a new password once, within an hour. Hand it over yourself."""
    runtime, link = runtime_of(workdir), secrets.token_urlsafe(32)
    with opened(runtime) as database:
        if not accounts.make_link(ConsoleDatabase(database), _address(email), hashlib.sha256(link.encode()).digest()):
            raise CommandStopped(f"no such account: {email}")
    settings = runtime.settings
    alone = runtime.base_url if settings.console_engine and not settings.console else f"{runtime.base_url}/console"
    click.echo(f"{settings.console_url or alone}/new-password?link={link}")


@console_group.command("close-account")
@click.argument("email")
@click.confirmation_option(prompt="Close the account and delete all data of its tenant?")
@workdir_option
def close_account(email: str, workdir: Path | None) -> None:
    """End an account with tokens and webhooks now; its documents are deleted by the running console."""
    with opened(runtime_of(workdir)) as database:
        account = accounts.find_account(database, _address(email))
        if account is None or not accounts.close_account(ConsoleDatabase(database), account, accounts.OPERATOR):
            raise CommandStopped(f"no such account: {email}")
    click.echo(f"{email} is closed")


def _address(email: str) -> str:
    return email.strip().lower()
