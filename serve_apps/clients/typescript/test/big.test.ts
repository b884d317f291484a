// A file of 256 MB goes from disk to the socket without standing in memory.
import assert from "node:assert/strict";
import { open, mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";

import { QuireClient, TooLarge } from "../src/index.js";
import { openFile } from "../src/node.js";

const BIG = 256 * 2 ** 20;

test("a big file is sent in constant memory", async () => {
  const folder = await mkdtemp(join(tmpdir(), "quire-"));
  const path = join(folder, "big.pdf");
  const file = await open(path, "w");
  await file.truncate(BIG);
  await file.close();
  let got = 0;
  let most = 0;
  const server = createServer((request, response) => {
    request.on("data", (piece: Buffer) => {
      got += piece.length;
      most = Math.max(most, process.memoryUsage().arrayBuffers);
    });
    request.on("end", () => response.writeHead(201).end(JSON.stringify({ id: "job_a", status: "queued" })));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  try {
    await new QuireClient({ baseUrl: `http://127.0.0.1:${port}` }).createJob(await openFile(path));
  } finally {
    server.closeAllConnections();
    server.close();
    await rm(folder, { recursive: true });
  }
  assert.ok(got > BIG);
  assert.ok(most < BIG / 4, `${most} bytes at once`);
});

test("a refusal that comes before the end of the upload is the error", async () => {
  const folder = await mkdtemp(join(tmpdir(), "quire-"));
  const path = join(folder, "big.pdf");
  const file = await open(path, "w");
  await file.truncate(64 * 2 ** 20);
  await file.close();
  const server = createServer((request, response) => {
    const body = JSON.stringify({ code: "upload-too-large", detail: "too large" });
    response.writeHead(413, { connection: "close", "content-type": "application/problem+json" }).end(body);
    request.resume();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  try {
    const sent = new QuireClient({ baseUrl: `http://127.0.0.1:${port}` }).createJob(await openFile(path));
    await assert.rejects(sent, (error: unknown) => error instanceof TooLarge && error.code === "upload-too-large");
  } finally {
    server.closeAllConnections();
    server.close();
    await rm(folder, { recursive: true });
  }
});
