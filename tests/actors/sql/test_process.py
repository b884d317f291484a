"""Queries over cells: exact answers with citations, and nothing outside the tables."""

import json
import random
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence

import duckdb
import pyarrow as pa
import pytest

from quire.actors.sql import runner as runner_module
from quire.actors.sql.process import answer_query, open_tables
from quire.actors.sql.runner import SqlLimits, SqlRunner
from quire.models.cdom.ports import SqlRefused
from quire.models.export.tables.cells import list_cells
from quire.models.export.tables.files import SCHEMA, cell_batch
from tests.actors.sql.hostile import ENDLESS, GREEDY, outside
from tests.builders import make_tree, table_block

HEADS = ("Item", "Amount", "Price")


def make_batch(document: str, rows: Sequence[tuple[str, ...]], heads: tuple[str, ...] = HEADS) -> pa.RecordBatch:
    tree = make_tree(table_block([heads, *rows], header_rows=1))
    return cell_batch(document, f"{document}.pdf", list_cells(tree))


BATCH = make_batch("doc_1", [("Rope", "3", "5.00"), ("Anchor", "1", "7.50"), ("Chain", "12", "1,250.25")])


@pytest.fixture(scope="module")
def tables() -> duckdb.DuckDBPyConnection:
    return open_tables(pa.Table.from_batches([BATCH]), 256 << 20)


def stream(*batches: pa.RecordBatch) -> bytes:
    out = pa.BufferOutputStream()
    with pa.ipc.new_stream(out, SCHEMA) as writer:
        for batch in batches:
            writer.write_batch(batch)
    data: bytes = out.getvalue().to_pybytes()
    return data


def test_rows_have_values_by_head_with_their_cells(tables: duckdb.DuckDBPyConnection) -> None:
    statement = "select label, numbers['Price'], texts['Price'], cites['Price'].cell from rows order by 2 desc"
    answer = json.loads(answer_query(tables, statement, 2))
    assert answer["rows"] == [["Chain", 1250.25, "1,250.25", 11], ["Anchor", 7.5, "7.50", 8]]
    assert answer["is_truncated"]


def test_columns_with_equal_heads_have_numbered_names() -> None:
    cells = pa.Table.from_batches([make_batch("doc_1", [("a", "1", "2", "3")], ("Name", "Sum", "Sum", ""))])
    answer = json.loads(answer_query(open_tables(cells, 64 << 20), "select numbers from rows", 1))
    assert answer["rows"] == [[{"Name": None, "Sum": 1.0, "Sum_2": 2.0, "column_4": 3.0}]]


def test_cells_of_date_columns_are_dates() -> None:
    rows = [("Rope", "31/12/2023", "1"), ("Anchor", "03/01/2024", "2"), ("Chain", "05/02/2024", "x")]
    cells = pa.Table.from_batches([make_batch("doc_1", rows, ("Item", "Sold", "Note"))])
    connection = open_tables(cells, 64 << 20)
    asked = """select label, dates['Sold'] as sold, typeof(sold) from rows
        where sold >= date '2024-01-01' order by sold"""
    assert json.loads(answer_query(connection, asked, 9))["rows"] == [
        ["Anchor", "2024-01-03", "DATE"],
        ["Chain", "2024-02-05", "DATE"],
    ]
    count = "select count(*) from cells where date is not null"
    assert json.loads(answer_query(connection, count, 1))["rows"] == [[3]]


def test_made_questions_are_answered_exactly_with_their_cells() -> None:
    chance, batches = random.Random(7), list[pa.RecordBatch]()
    truth: dict[tuple[str, int], tuple[str, ...]] = {}
    for number in range(40):
        rows = [(f"Item {row}", str(chance.randrange(1, 99)), f"{chance.randrange(100, 99999) / 100:.2f}") for row in
                range(5)]  # fmt: skip
        batches.append(make_batch(f"doc_{number}", rows))
        truth |= {(f"doc_{number}", row): values for row, values in enumerate(rows)}
    connection = open_tables(pa.Table.from_batches(batches), 256 << 20)
    for (document, row), (label, amount, price) in truth.items():
        statement = f"""select sum(number), list(cite.cell order by cell) from cells
            where document_id = '{document}' and label = '{label}' and head in ('Amount', 'Price')"""
        total, cited = json.loads(answer_query(connection, statement, 1))["rows"][0]
        assert total == pytest.approx(int(amount) + float(price))
        assert cited == [3 * (row + 1) + 1, 3 * (row + 1) + 2]


def test_hostile_statements_reach_nothing(tables: duckdb.DuckDBPyConnection) -> None:
    statements = list(outside())
    assert len(statements) > 500
    for statement in statements:
        answer = json.loads(answer_query(tables, statement, 10))
        assert answer.get("code") in {"sql-refused", "sql-invalid"} or answer["rows"] == [], statement
    assert json.loads(answer_query(tables, "select count(*) from cells", 1))["rows"] == [[BATCH.num_rows]]


def test_locked_process_opens_no_file_without_the_locks_of_the_engine() -> None:
    program = """
import duckdb
from quire.actors.sql import runner as runner_module
from quire.actors.sql.process import lock_process
connection = duckdb.connect(":memory:", config={"threads": 1})
print(connection.execute("select count(*) > 0 from read_text('/etc/passwd')").fetchone(), flush=True)
lock_process()
try:
    print(connection.execute("select content from read_text('/etc/passwd')").fetchone(), flush=True)
except duckdb.Error:
    print(None, flush=True)
import os
os._exit(0)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["(True,)", "None"]


def test_runner_answers_in_a_locked_process() -> None:
    answer = SqlRunner().run("select label, current_date is not null as today from cells", [stream(BATCH)], max_rows=1)
    assert (answer.rows, answer.is_truncated) == ((("Item", True),), True)
    assert [name for name, _ in answer.columns] == ["label", "today"]


def test_runner_answers_without_any_cells() -> None:
    assert SqlRunner().run("select count(*) from rows", [stream()], max_rows=9).rows == ((0,),)


@pytest.mark.parametrize("statement", [ENDLESS[1], GREEDY[0]])
def test_query_over_its_limits_is_refused(statement: str) -> None:
    limits = SqlLimits(cpu_s=1, memory_bytes=64 << 20)
    with pytest.raises(SqlRefused) as refused:
        SqlRunner(limits).run(statement, [stream(BATCH)], max_rows=10)
    assert refused.value.code == "sql-over-limit"


def test_process_of_the_next_query_is_started_ahead() -> None:
    runner = SqlRunner(SqlLimits(at_once=1))
    cells = [stream(BATCH)]
    seen = set()
    for _ in range(3):
        assert runner.run("select count(*) from rows", cells, max_rows=1).rows == ((3,),)
        (ahead,) = runner._ahead
        assert ahead.poll() is None
        assert ahead.pid not in seen
        seen.add(ahead.pid)
    ahead.communicate(b"")
    assert ahead.returncode == 0
    assert runner.run("select count(*) from rows", cells, max_rows=1).rows == ((3,),)


def test_query_with_a_stuck_process_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    stopped = SqlRunner(SqlLimits(cpu_s=1))
    assert stopped.run("select 1", [stream(BATCH)], max_rows=1).rows == ((1,),)
    monkeypatch.setattr(runner_module, "LOOK_S", 0.001)
    monkeypatch.setattr(runner_module, "STALL_IDLE_S", 0.5)
    (ahead,) = stopped._ahead
    ahead.send_signal(signal.SIGSTOP)  # neither runs nor waits: it is stuck
    with pytest.raises(SqlRefused, match="more time or memory"):
        stopped.run("select 1", [stream(BATCH)], max_rows=1)


def test_large_cells_of_a_stuck_process_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """The writer waits for a full pipe, not for cells."""
    stopped = SqlRunner(SqlLimits(cpu_s=1))
    assert stopped.run("select 1", [stream(BATCH)], max_rows=1).rows == ((1,),)
    monkeypatch.setattr(runner_module, "LOOK_S", 0.001)
    monkeypatch.setattr(runner_module, "STALL_IDLE_S", 0.5)
    (ahead,) = stopped._ahead
    ahead.send_signal(signal.SIGSTOP)
    with pytest.raises(SqlRefused, match="more time or memory"):
        stopped.run("select 1", [bytes(1 << 20)] * 4, max_rows=1)


def test_error_while_loading_cells_reaches_the_caller() -> None:
    def cells() -> Iterator[bytes]:
        yield stream(BATCH)[:100]
        raise LookupError("deleted")

    runner = SqlRunner()
    with pytest.raises(LookupError, match="deleted"):
        runner.run("select 1", cells(), max_rows=1)
    assert runner.run("select 1", [stream(BATCH)], max_rows=1).rows == ((1,),)
