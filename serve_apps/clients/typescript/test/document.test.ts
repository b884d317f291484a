// The tree as objects, in the shape of the Python client.
import assert from "node:assert/strict";
import { test } from "node:test";

import { Document, DocumentFailed, QuireClient, Values } from "../src/index.js";

const cell = (row: number, col: number, text: string, more = {}) => ({ row, col, text, ...more });
const TREE = {
  metadata: { title: "Prices" },
  pages: [
    { number: 1, width: 595, height: 842, route: "fast", status: "ok" },
    { number: 2, width: 595, height: 842, label: "ii" },
  ],
  blocks: [
    { id: "b0", type: "heading", page: 1, text: "Prices", level: 1, flags: ["low-confidence"], bbox: [1, 2, 3, 4] },
    {
      id: "b1", type: "table", page: 1, text: "", bbox: null,
      table: {
        rows: 3, cols: 3,
        cells: [
          cell(0, 0, "Name", { header: true }), cell(0, 1, "Sum", { header: true, col_span: 2 }),
          cell(1, 0, "Rope", { bbox: [5, 6, 7, 8], confidence: 0.5, value: "2024-04-03" }), cell(1, 1, "5"),
          cell(1, 2, 'a "b", c'), cell(2, 0, "all", { col_span: 3 }),
        ],
        parts: [{ page: 1, rows: 2, bbox: null }, { page: 2, rows: 1, bbox: [0, 0, 1, 1] }],
      },
    },
    { id: "b2", type: "paragraph", page: 2, text: "The end.", parent: "b0" },
  ],
};

test("blocks, pages and tables are views of the tree", () => {
  const document = new Document("doc_a", "job_a", "a.pdf", "# Prices", TREE);
  assert.deepEqual(document.blocks.map((block) => [block.type, block.level, block.parent]), [
    ["heading", 1, null], ["table", null, null], ["paragraph", null, "b0"],
  ]);
  assert.deepEqual([document.blocks[0]?.bbox, document.blocks[2]?.confidence], [[1, 2, 3, 4], 1]);
  assert.deepEqual(document.pages.map((page) => [page.number, page.label, page.text]), [
    [1, null, "Prices"], [2, "ii", "The end."],
  ]);
  assert.equal(document.text, "Prices\nThe end.");
  assert.deepEqual(document.metadata, { title: "Prices" });
  assert.equal(document.pages[0]?.tables[0], document.tables[0]);
});

test("a table has a grid, unique column names, objects and CSV", () => {
  const [table] = new Document("doc_a", "job_a", "a.pdf", "", TREE).tables;
  assert.ok(table);
  assert.equal(table.headerRows, 1);
  assert.deepEqual(table.columns, ["Name", "Sum", "Sum_2"]);
  assert.deepEqual(table.body, [["Rope", "5", 'a "b", c'], ["all", "all", "all"]]);
  assert.deepEqual(table.toObjects()[0], { Name: "Rope", Sum: "5", Sum_2: 'a "b", c' });
  assert.equal(table.toCsv(), 'Name,Sum,Sum_2\nRope,5,"a ""b"", c"\nall,all,all\n');
  assert.deepEqual([table.cells[2]?.value, table.cells[2]?.bbox], ["2024-04-03", [5, 6, 7, 8]]);
  assert.deepEqual(table.parts.map((part) => [part.page, part.rows]), [[1, 2], [2, 1]]);
});

function answering(status: string): QuireClient {
  const facts = { document_id: "doc_a", job_id: "job_a", source_file: "a.pdf", status, error: null, error_detail: null };
  const answers: Record<string, string> = {
    "/v1/jobs": JSON.stringify({ id: "job_a", status: "queued" }),
    "/v1/jobs/job_a": JSON.stringify({ id: "job_a", status, documents: [facts] }),
    "/v1/documents/doc_a": JSON.stringify(facts),
    "/v1/jobs/job_a/documents/doc_a/tree": JSON.stringify(TREE),
    "/v1/jobs/job_a/documents/doc_a/export/markdown": "# Prices",
  };
  const fetch = (url: string | URL | Request) => {
    const path = new URL(url instanceof Request ? url.url : url).pathname;
    return Promise.resolve(new Response(answers[path], { headers: { "content-type": "application/json" } }));
  };
  return new QuireClient({ baseUrl: "http://quire.test", fetch });
}

test("read sends the file, waits and returns the document", async () => {
  const document = await answering("succeeded").read({ name: "a.pdf", content: new Blob(["%PDF"]) });
  assert.deepEqual([document.id, document.name, document.markdown], ["doc_a", "a.pdf", "# Prices"]);
  assert.equal(document.tables.length, 1);
});

test("a document that could not be read is an error with its code", async () => {
  await assert.rejects(answering("failed").open("doc_a"), (error: unknown) =>
    error instanceof DocumentFailed && error.code === "failed" && error.document.source_file === "a.pdf");
});

test("a stream of fine-tune records waits for the scan of personal data", async () => {
  const headers = { "retry-after": "0", "content-type": "application/problem+json" };
  const busy = () => new Response(JSON.stringify({ code: "scan-running", detail: "" }), { status: 202, headers });
  const answers = [busy(), new Response('{"text": "a"}\n')];
  const quire = new QuireClient({ baseUrl: "http://quire.test", fetch: () => Promise.resolve(answers.shift() ?? busy()) });
  const records: unknown[] = [];
  for await (const record of quire.streamFinetune("job_a")) records.push(record);
  assert.deepEqual(records, [{ text: "a" }]);
});

test("a redacted output waits for the scan of personal data", async () => {
  const headers = { "retry-after": "0", "content-type": "application/problem+json" };
  const busy = () => new Response(JSON.stringify({ code: "scan-running", detail: "" }), { status: 202, headers });
  const answers = [busy(), busy(), new Response("# Masked")];
  const quire = new QuireClient({ baseUrl: "http://quire.test", fetch: () => Promise.resolve(answers.shift() ?? busy()) });
  assert.equal(await quire.exportMarkdown("job_a", "doc_a", { redacted: true }), "# Masked");
});

test("evidence has the shape of the data, its page and the box around its places there", () => {
  const place = (page: number, bbox: number[]) => ({ block_id: "b1", page, bbox, cell: null, start: 0, end: 2 });
  const evidence = {
    "/a~1b/0/~0": {
      verbatim: "7", confidence: 0.9, how: "table" as const,
      places: [place(2, [10, 20, 30, 40]), place(2, [5, 40, 20, 50]), place(3, [0, 0, 9, 9])],
    },
    "/sum": { verbatim: "", confidence: 1, how: "default" as const, places: [] },
  };
  const data = { "a/b": [{ "~": 7, none: null }, {}], sum: 1, constructor: null };
  const found = new Values<{ "a/b": Array<{ "~"?: number }>; sum: number }>({ data, evidence });
  const cell = found.evidence["a/b"][0]?.["~"];
  assert.deepEqual([cell?.text, cell?.page, cell?.bbox, cell?.places.length], ["7", 2, [5, 20, 30, 50], 3]);
  assert.deepEqual([found.evidence.sum?.page, found.evidence.sum?.bbox, found.valid], [null, null, true]);
  assert.deepEqual(found.evidence["a/b"][1], {});
});
