"""Typical use with DuckDB and pandas: chunks and fine-tune lines as tables; run by `live_frameworks`."""

import os
from pathlib import Path

import duckdb
import httpx
import pandas as pd

SERVICE = httpx.Client(base_url=os.environ["QUIRE_URL"], headers={"X-API-Key": os.environ["QUIRE_TOKEN"]}, timeout=60)
with Path("report.pdf").open("rb") as file:
    job = SERVICE.post("/v1/parse", files={"file": file}).raise_for_status().json()["job"]
document = f"/v1/jobs/{job['id']}/documents/{job['documents'][0]['document_id']}"
Path("chunks.json").write_bytes(SERVICE.get(f"{document}/chunks").raise_for_status().content)
Path("lines.jsonl").write_bytes(SERVICE.get(f"/v1/jobs/{job['id']}/export/finetune").raise_for_status().content)

chunks = duckdb.execute("select text, tokens, pages[1] as page from 'chunks.json' order by page")
assert chunks.fetchall()[0][0] == "Hello"
assert duckdb.execute("select count(*) from 'lines.jsonl'").fetchall() == [(1,)]

table = pd.read_json("chunks.json")
assert {"text", "tokens", "pages", "section_path", "block_ids"} <= set(table.columns)
assert len(pd.read_json("lines.jsonl", lines=True)) == 1
print("ok")
