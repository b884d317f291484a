// Against the service itself, where QUIRE_URL says it is; `make test SUITE=sdk` starts one.
import assert from "node:assert/strict";
import { mkdtemp, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";

import { ApiError, QuireClient } from "../src/index.js";
import { openFile } from "../src/node.js";

const baseUrl = process.env["QUIRE_URL"];
if (!baseUrl) throw new Error("QUIRE_URL names no service: run `make test SUITE=sdk`");
const quire = new QuireClient({ baseUrl, apiKey: "acme-write" });

async function paper(): Promise<string> {
  const path = join(await mkdtemp(join(tmpdir(), "quire-")), "paper.pdf");
  await writeFile(path, Buffer.from("%PDF-1.4\n% tiny \xff\xfe\0\x80\n%%EOF\n", "latin1"));
  return path;
}

test("a file from disk is read and its outputs come back", async () => {
  const queued = await quire.createJob([await openFile(await paper())], { metadata: { case: 7 } });
  const job = await quire.wait(queued.id);
  assert.equal(job.status, "succeeded");
  assert.deepEqual(job.metadata, { case: 7 });
  const document = job.documents[0];
  assert.ok(document);
  assert.equal(document.source_file, "paper.pdf");
  const page = await quire.getPage(job.id, document.document_id, 1, { dpi: 72 });
  assert.deepEqual([page.mediaType, page.width, page.pageCount], ["image/png", 595, 1]);
  const original = await quire.getOriginal(job.id, document.document_id);
  assert.deepEqual(Buffer.from(original.data), await readFile(await paper()));
  assert.match(await quire.exportMarkdown(job.id, document.document_id), /Hello/);
  assert.equal((await quire.getChunks(job.id, document.document_id))[0]?.text, "Hello");
  const kinds = [];
  for await (const event of quire.streamJobEvents(job.id)) kinds.push(event.kind);
  assert.deepEqual(kinds, ["job", "end"]);
  await quire.deleteJob(job.id);
  await assert.rejects(quire.getJob(job.id), (error: unknown) => error instanceof ApiError && error.status === 404);
});

test("the address comes from QUIRE_URL if none is given", async () => {
  const named = new QuireClient({ apiKey: "acme-write" });
  assert.ok(Array.isArray(await named.listJobs({ limit: 1 })));
});

test("a parse answers with its tree", async () => {
  const answer = await quire.parse({ name: "a.pdf", content: new Blob(["%PDF-1.4\n%%EOF\n"]) }, { timeout_s: 30 });
  assert.ok("tree" in answer);
  assert.equal(answer.job.status, "succeeded");
});

test("an address is fetched by the service, under its rules", async () => {
  const inside = quire.createJob("http://127.0.0.1:1/a.pdf");
  await assert.rejects(inside, (error: unknown) => error instanceof ApiError && error.code === "url-refused");
});

test("values come as a type, with evidence in its shape", async () => {
  interface Bill {
    number: string;
    total: number;
    order: string | null;
    lines: Array<{ item: string; amount: number }>;
  }
  const text = { type: "string" };
  const number = { type: "number" };
  const line = { type: "object", properties: { item: text, amount: number } };
  const properties = {
    number: { ...text, "x-quire": { labels: ["Bill no."] } }, total: number, order: { type: ["string", "null"] },
    lines: { type: "array", items: line },
  };
  const table = "<table><tr><th>Item</th><th>Amount</th></tr><tr><td>Rope</td><td>5.00</td></tr>" +
    "<tr><td>Hook</td><td>2.50</td></tr></table>";
  const page = new Blob([`<p>Bill no.: B-17</p>${table}<p>Total: 7.50 EUR</p>`]);
  const found = await quire.extractAs<Bill>({ name: "bill.html", content: page }, { type: "object", properties });
  assert.deepEqual([found.data.number, found.data.total, found.data.lines[1]?.amount], ["B-17", 7.5, 2.5]);
  assert.deepEqual([found.evidence.total?.text, found.evidence.total?.page], ["7.50", 1]);
  assert.equal(found.evidence.lines[1]?.amount?.text, "2.50");
  assert.deepEqual([found.evidence.order, found.missing["/order"]], [null, "no-label"]);
});
