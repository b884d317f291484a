"""A target of one file: an SQLite database with one table."""

import json
import sqlite3
from collections.abc import Sequence

from quire.storage.targets.contract import RecordRefused, Target, TargetRecord, TargetSettings, TargetUnavailable


class SqliteTarget:
    """Setting: `path`, a file of the server."""

    def __init__(self, settings: TargetSettings) -> None:
        try:
            self._database = sqlite3.connect(settings.text("path"), timeout=settings.timeout_s)
            self._database.execute("create table if not exists chunks (id primary key, document_id, run, text, facts)")
        except sqlite3.OperationalError as error:
            raise TargetUnavailable("cannot-open") from error

    def check(self) -> None:
        self._database.execute("select count(*) from chunks")

    def upsert(self, records: Sequence[TargetRecord]) -> None:
        rows = [(r.id, r.document_id, r.run, r.text, json.dumps(r.payload())) for r in records]
        try:
            with self._database:
                self._database.executemany("insert or replace into chunks values (?, ?, ?, ?, ?)", rows)
        except sqlite3.OperationalError as error:  # locked, or the disk is full: try again later
            raise TargetUnavailable("busy") from error
        except sqlite3.DataError as error:  # this record will never fit
            raise RecordRefused("too-big") from error

    def delete(self, document_id: str, keep_run: str | None) -> None:
        with self._database:
            self._database.execute("delete from chunks where document_id = ? and run is not ?", (document_id, keep_run))

    def close(self) -> None:
        self._database.close()


def open_target(settings: TargetSettings) -> Target:
    return SqliteTarget(settings)
