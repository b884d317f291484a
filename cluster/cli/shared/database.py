"""The running deployment's database for commands that change or check it. Knows no Ray."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from quire.cluster.cli.shared.options import CommandStopped, settings_from
from quire.cluster.runtime import Runtime, read_runtime, runtime_file
from quire.storage.postgres.database import Database
from quire.storage.postgres.schema import check_schema
from quire.storage.values.errors import StorageError, StoreUnavailable


def runtime_of(workdir: Path | None) -> Runtime:
    """Return the runtime that `quire up` wrote; ends the command when the service was never started here."""
    settings = settings_from(workdir)
    if not runtime_file(settings.workdir).exists():
        raise CommandStopped(
            f"no service was started in {settings.workdir}; set its folder with --workdir or SVC_WORKDIR"
        )
    return read_runtime(runtime_file(settings.workdir))


@contextmanager
def opened(runtime: Runtime) -> Iterator[Database]:
    """Its database while the block runs; what the store refuses ends the command with one line."""
    database = Database(runtime.dsn, pool_size=1)
    try:
        check_schema(database)
        yield database
    except StoreUnavailable:
        raise CommandStopped(
            f"the database of {runtime.settings.workdir} cannot be reached: start the service with `quire up`, "
            "or name another folder with --workdir"
        ) from None
    except StorageError as error:
        raise CommandStopped(str(error) or error.code) from None
    finally:
        database.close()
