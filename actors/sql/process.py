"""Process that answers one SQL query: `python -m … CPU_SECONDS BYTES`, the request on standard input.

It is started ahead, with its libraries loaded, and ends if no request comes for `KEEP_S`. The request is a line of
JSON, followed by the cells as an Arrow stream. The process first loads the cells, then gives up files, sockets, other
programs and its settings, and only then looks at the statement. The answer is JSON.
"""

import json
import math
import os
import resource
import select
import sys
from collections.abc import Mapping
from datetime import date, time, timedelta
from decimal import Decimal
from io import BufferedReader
from typing import Any, BinaryIO, cast

import duckdb
import pyarrow as pa

from quire.actors.sandbox.landlock import restrict_files
from quire.actors.sandbox.lockdown import IS_LINUX, cap_limit, cpu_used_s
from quire.actors.sandbox.prctl import PR_SET_NO_NEW_PRIVS, prctl
from quire.actors.sandbox.seccomp import install_filter

OVER = 71
"""Exit status of a process without memory."""
KEEP_S = 600.0
"""Seconds for which a process without a request stays: it holds 100 MB."""
MAX_ANSWER_BYTES = 16 << 20  # bytes of JSON: ten thousand rows of 1.6 KB
_OPEN_FILES = 8  # file handles: three standard ones and room for the engine's own
_RELATIONS = """
create table cells as
  select document_id, source_file, "table" as table_id, page, cell, "row", col, row_span, col_span, header, head,
    head_path, label, section, title, text, number, unit, scale, date, x0, y0, x1, y1, confidence from arrow_cells;
alter table cells add column cite struct(
  document_id varchar, page integer, table_id varchar, cell integer, x0 double, y0 double, x1 double, y1 double);
update cells set cite = {'document_id': document_id, 'page': page, 'table_id': table_id, 'cell': cell,
  'x0': x0, 'y0': y0, 'x1': x1, 'y1': y1};
create view rows as
  select document_id, any_value(source_file) as source_file, table_id, min(page) as page, "row",
    any_value(label) as label, any_value(section) as section, any_value(title) as title, any_value(scale) as scale,
    map(list(name order by col), list(text order by col)) as texts,
    map(list(name order by col), list(number order by col)) as numbers,
    map(list(name order by col), list(date order by col)) as dates,
    map(list(name order by col), list(cite order by col)) as cites
  from (
    select *, case when n = 1 then named else named || '_' || n end as name from (
      select *, row_number() over (partition by document_id, table_id, "row", named order by col) as n from (
        select *, case when head = '' then 'column_' || (col + 1) else head end as named from cells where not header)))
  group by document_id, table_id, "row";
"""
_WARM_UP = (
    "select current_timestamp, current_date, uuid(), 1.5::decimal(3, 1), interval 1 day, time '12:00', {'a': [1]}"
)
"""Loads what the conversion of values needs, because no file can be opened later."""
_SETTINGS = """
set enable_external_access = false;
set python_enable_replacements = false;
set python_scan_all_frames = false;
set lock_configuration = true;
"""


def main(cpu_s: int, memory_bytes: int) -> int:
    """Answer the request on standard input and return the exit status."""
    _limit(resource.RLIMIT_CORE, 0)
    _limit(resource.RLIMIT_FSIZE, 0)
    duckdb.connect(":memory:", config={"threads": 1}).execute(_WARM_UP).fetchall()
    if not select.select([sys.stdin], [], [], KEEP_S)[0] or not cast(BufferedReader, sys.stdin.buffer).peek(1):
        return 0  # no request came, or the service ended
    _limit(resource.RLIMIT_CPU, math.ceil(cpu_used_s()) + cpu_s)  # the request's own
    asked, cells = _read_request(sys.stdin.buffer)
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    connection = open_tables(cells, memory_bytes)
    _limit(resource.RLIMIT_AS, _mapped_bytes() + memory_bytes)
    lock_process()
    try:
        answer = answer_query(connection, asked["statement"], asked["max_rows"])
    except MemoryError:
        return OVER
    with answers:
        answers.write(answer)
    os._exit(0)  # the engine's own end needs calls that the process gave up


def open_tables(cells: pa.Table, memory_bytes: int) -> duckdb.DuckDBPyConnection:
    """Return a database in memory with the relations `cells` and `rows`, whose settings cannot be changed."""
    config: dict[str, str | bool | int | float | list[str]] = {
        "threads": 1,
        "memory_limit": f"{memory_bytes >> 20}MiB",
        "temp_directory": "",
    }
    config |= {"autoinstall_known_extensions": "false", "autoload_known_extensions": "false"}
    connection = duckdb.connect(":memory:", config=config)
    connection.register("arrow_cells", cells)
    connection.execute(_RELATIONS)
    connection.unregister("arrow_cells")
    connection.execute(_SETTINGS)
    connection.execute(_WARM_UP).fetchall()
    return connection


def lock_process() -> None:
    """Give up files, sockets, threads and other programs. macOS has only the limits and the engine's own lock."""
    _limit(resource.RLIMIT_NOFILE, _OPEN_FILES)
    if not IS_LINUX:
        return
    _limit(resource.RLIMIT_NPROC, 0)
    prctl(PR_SET_NO_NEW_PRIVS, 1)
    restrict_files()
    install_filter(os.getpid())


def answer_query(connection: duckdb.DuckDBPyConnection, statement: str, max_rows: int) -> bytes:
    """Return the answer or the refusal as JSON."""
    try:
        _check(connection, statement)
        connection.execute("begin transaction read only")  # a SELECT may hold an INSERT
        try:
            result = connection.execute(statement)
            columns = [(str(column[0]), str(column[1])) for column in result.description or []]
            rows = result.fetchmany(max_rows + 1)
        finally:
            connection.execute("rollback")
    except (duckdb.OutOfMemoryException, duckdb.InterruptException):
        return _refuse("sql-over-limit", "the query needs more memory than one query may use")
    except duckdb.PermissionException:
        return _refuse("sql-refused", "a query may read the relations cells and rows only")
    except (duckdb.Error, OverflowError, ValueError) as error:
        return _refuse("sql-invalid", str(error).partition("\nTraceback")[0])
    except _StatementRefused as refused:
        return _refuse("sql-refused", str(refused))
    plain = [[_plain(value) for value in row] for row in rows[:max_rows]]
    answer = json.dumps({"columns": columns, "rows": plain, "is_truncated": len(rows) > max_rows}, allow_nan=False)
    data = answer.encode("utf-8", "replace")
    if len(data) > MAX_ANSWER_BYTES:
        return _refuse("sql-over-limit", f"the answer has more than {MAX_ANSWER_BYTES >> 20} MiB; select less")
    return data


class _StatementRefused(Exception):
    pass


def _check(connection: duckdb.DuckDBPyConnection, statement: str) -> None:
    """Raise `_StatementRefused` unless this is exactly one SELECT, and duckdb.Error if it cannot be parsed."""
    statement.encode()  # lone surrogates are a ValueError
    statements = connection.extract_statements(statement)
    if len(statements) != 1:
        raise _StatementRefused("send exactly one statement")
    if statements[0].type != duckdb.StatementType.SELECT:
        raise _StatementRefused("only SELECT statements are answered")


def _read_request(stream: BinaryIO) -> tuple[dict[str, Any], pa.Table]:
    asked: dict[str, Any] = json.loads(stream.readline())
    return asked, pa.ipc.open_stream(stream).read_all()


def _refuse(code: str, text: str) -> bytes:
    return json.dumps({"code": code, "text": text[:2000]}).encode("utf-8", "replace")


def _plain(value: Any) -> Any:
    """Return a value of JSON: numbers that JSON lacks are null, times ISO texts, bytes hexadecimal."""
    match value:
        case None | bool() | int() | str():
            return value
        case float():
            return value if math.isfinite(value) else None
        case Decimal():
            return _plain(float(value))
        case date() | time():
            return value.isoformat()
        case timedelta():
            return value.total_seconds()
        case bytes():
            return value.hex()
        case Mapping():
            return {str(name): _plain(part) for name, part in value.items()}
        case list() | tuple():
            return [_plain(part) for part in value]
        case _:
            return str(value)


def _mapped_bytes() -> int:
    """Return the address space in use; 0 where the system does not state it."""
    try:
        with open("/proc/self/statm", encoding="ascii") as file:
            return int(file.read().split()[0]) * resource.getpagesize()
    except OSError:
        return 1 << 34


def _limit(kind: int, value: int) -> None:
    capped = cap_limit(kind, value)
    resource.setrlimit(kind, (capped, capped))


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), int(sys.argv[2])))
