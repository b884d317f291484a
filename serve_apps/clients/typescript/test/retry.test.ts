// What the client sends again, against a loopback server that refuses on demand.
import assert from "node:assert/strict";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, test } from "node:test";

import { ApiError, ConnectionFailed, NotFound, QuireClient, ServerFailed, WaitTimeout } from "../src/index.js";

interface Seen {
  method: string;
  url: string;
  headers: IncomingMessage["headers"];
  body: string;
}

let server: Server | null = null;

async function serve(answer: (response: ServerResponse, count: number) => void): Promise<[QuireClient, Seen[]]> {
  const seen: Seen[] = [];
  server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const { method = "", url = "", headers } = request;
      seen.push({ method, url, headers, body: Buffer.concat(chunks).toString() });
      answer(response, seen.length);
    });
  });
  await new Promise<void>((resolve) => server?.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const retry = { pauseMs: 1 };
  return [new QuireClient({ baseUrl: `http://127.0.0.1:${port}/`, apiKey: "KEY", org: "sales", retry }), seen];
}

function send(response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}): void {
  response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));
}

afterEach(() => {
  server?.closeAllConnections();
  server?.close();
  server = null;
});

const BUSY = { code: "overloaded", detail: "busy" };
const QUEUED = { id: "job_a", status: "queued" };

test("a read is tried again until it succeeds, with key and organisation", async () => {
  const [quire, seen] = await serve((r, n) => (n < 4 ? send(r, 503, BUSY) : send(r, 200, QUEUED)));
  assert.equal((await quire.getJob("job_a")).status, "queued");
  assert.equal(seen.length, 4);
  assert.equal(seen[0]?.headers["x-api-key"], "KEY");
  assert.equal(seen[0]?.headers["x-de-org"], "sales");
});

test("addresses go as JSON for the service to fetch, under one idempotency key", async () => {
  const [quire, seen] = await serve((r, n) => (n < 2 ? send(r, 503, BUSY) : send(r, 201, QUEUED)));
  const there = "https://example.com/a.pdf";
  await quire.createJob([there, new URL("https://example.com/b.pdf")], { pages: "1-3", metadata: { case: 7 } });
  await quire.parse(there, { timeout_s: 5 });
  assert.equal(new Set(seen.slice(0, 2).map((one) => one.headers["idempotency-key"])).size, 1);
  assert.ok(seen.every((one) => one.headers["content-type"] === "application/json"));
  assert.deepEqual(JSON.parse(seen[1]?.body ?? ""), {
    urls: [there, "https://example.com/b.pdf"], pages: "1-3", metadata: '{"case":7}',
  });
  assert.deepEqual([seen[2]?.url, JSON.parse(seen[2]?.body ?? "")], ["/v1/parse?timeout_s=5", { url: there }]);
});

test("files and addresses in one call are refused before anything is sent", async () => {
  const [quire, seen] = await serve((r) => send(r, 201, QUEUED));
  const file = { name: "a.pdf", content: new Blob(["%PDF-"]) };
  assert.throws(() => quire.createJob([file, "https://example.com/b.pdf"]), TypeError);
  assert.equal(seen.length, 0);
});

test("an upload keeps its idempotency key and its bytes over attempts", async () => {
  const [quire, seen] = await serve((r, n) => (n < 3 ? send(r, 502, BUSY) : send(r, 201, QUEUED)));
  await quire.createJob({ name: "a.pdf", content: new Blob(["%PDF-"]) });
  assert.equal(new Set(seen.map((one) => one.headers["idempotency-key"])).size, 1);
  assert.ok(seen.every((one) => one.body.includes("%PDF-") && one.body.includes('filename="a.pdf"')));
});

test("what might act twice is sent once, but a rate limit is waited for", async () => {
  const [quire, seen] = await serve((r, n) => send(r, n === 1 ? 503 : 200, BUSY));
  await assert.rejects(quire.requeueDocument("job_a", "doc_a"), ApiError);
  assert.equal(seen.length, 1);
  server?.close();
  const [other, again] = await serve((r, n) => (n === 1 ? send(r, 429, BUSY, { "retry-after": "0" }) : send(r, 201, QUEUED)));
  await other.requeueDocument("job_a", "doc_a");
  assert.equal(again.length, 2);
});

test("an error carries status, code, request id and Retry-After", async () => {
  const [quire] = await serve((r) => send(r, 429, BUSY, { "retry-after": "3600", "x-request-id": "r1" }));
  await assert.rejects(quire.getStats(), (error: unknown) => {
    assert.ok(error instanceof ApiError);
    assert.deepEqual([error.status, error.code, error.requestId, error.retryAfter], [429, "overloaded", "r1", 3600]);
    return true;
  });
});

test("a 422 says where", async () => {
  const entry = { type: "greater_than_equal", loc: ["query", "limit"], msg: "too small" };
  const [quire] = await serve((r) => send(r, 422, { detail: [entry] }));
  await assert.rejects(quire.listJobs({ limit: 0 }), /422 greater_than_equal: query.limit: too small/);
});

test("an iterator follows the cursor to the end", async () => {
  const [quire, seen] = await serve((r, n) => send(r, 200, [{ id: n }], n < 3 ? { "x-next-cursor": `c${n}` } : {}));
  const ids = [];
  for await (const job of quire.iterJobs({ limit: 1 })) ids.push(job.id);
  assert.deepEqual(ids, [1, 2, 3]);
  assert.deepEqual(seen.map((one) => one.url.split("?")[1]), ["limit=1", "limit=1&cursor=c1", "limit=1&cursor=c2"]);
});

test("path values are one segment", async () => {
  const [quire, seen] = await serve((r) => send(r, 200, QUEUED));
  await quire.getJob("../stats?x");
  assert.equal(seen[0]?.url, "/v1/jobs/..%2Fstats%3Fx");
});

test("a list is a repeated parameter", async () => {
  const [quire, seen] = await serve((r) => send(r, 200, {}));
  await quire.exportAllTables({ document_id: ["doc_a", "doc_b"] });
  assert.equal(seen[0]?.url, "/v1/documents/tables.parquet?document_id=doc_a&document_id=doc_b");
});

test("events come one by one", async () => {
  const [quire] = await serve((r) => {
    r.writeHead(200, { "content-type": "text/event-stream" });
    r.end(`event: job\ndata: ${JSON.stringify(QUEUED)}\n\n: keep-alive\n\nevent: end\ndata: {}\n\n`);
  });
  const kinds = [];
  for await (const event of quire.streamJobEvents("job_a")) kinds.push(event.kind);
  assert.deepEqual(kinds, ["job", "end"]);
});

test("waiting ends in time", async () => {
  const [quire] = await serve((r) => send(r, 200, QUEUED));
  await assert.rejects(quire.wait("job_a", { timeoutS: 0 }), WaitTimeout);
});

test("no answer is its own error", async () => {
  const [quire] = await serve((r) => r.destroy());
  await assert.rejects(quire.getStats(), ConnectionFailed);
});

test("an error has a class by its status and the whole body", async () => {
  const body = { code: "not-found", detail: "none", resets_at: "2026-12-01" };
  const [quire] = await serve((r) => send(r, 404, body));
  await assert.rejects(quire.getJob("job_a"), (error: unknown) => {
    assert.ok(error instanceof NotFound && error instanceof ApiError);
    assert.deepEqual(error.body, body);
    return true;
  });
  assert.equal(ServerFailed.prototype instanceof ApiError, true);
});

test("a signal ends a request that hangs, with its reason", async () => {
  const control = new AbortController();
  const [quire, seen] = await serve(() => control.abort(new Error("enough")));
  await assert.rejects(quire.with({ signal: control.signal }).getJob("job_a"), /enough/);
  assert.equal(seen.length, 1);
});

test("a signal ends the pause before another try", async () => {
  const control = new AbortController();
  const [quire, seen] = await serve((r) => {
    send(r, 429, BUSY, { "retry-after": "30" });
    setTimeout(() => control.abort(new Error("enough")), 20);
  });
  await assert.rejects(quire.wait("job_a", { signal: control.signal }), /enough/);
  assert.equal(seen.length, 1);
});

test("a client that was aborted sends nothing", async () => {
  const [quire, seen] = await serve((r) => send(r, 200, QUEUED));
  await assert.rejects(quire.with({ signal: AbortSignal.abort(new Error("before")) }).getJob("job_a"), /before/);
  assert.equal(seen.length, 0);
});

test("progress may be told to a promise", async () => {
  const [quire] = await serve((r, n) => send(r, 200, { id: "job_a", status: n < 3 ? "running" : "succeeded" }));
  const told: string[] = [];
  await quire.wait("job_a", { onChange: async (job) => { told.push(job.status); } });
  assert.deepEqual(told, ["running", "running", "succeeded"]);
});

test("fine-tune records come one by one", async () => {
  const [quire, seen] = await serve((r) => {
    r.writeHead(200, { "content-type": "application/x-ndjson" });
    r.write('{"n": 0}\n{"n"');
    r.end(": 1}\n");
  });
  const records = [];
  for await (const record of quire.streamFinetune("job_a", { dedup: true })) records.push(record["n"]);
  assert.deepEqual(records, [0, 1]);
  assert.equal(seen[0]?.url, "/v1/jobs/job_a/export/finetune?dedup=true");
});
