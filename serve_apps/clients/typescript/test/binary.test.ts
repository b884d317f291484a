// Every operation with a binary answer returns the bytes as sent; QUIRE_BINARY lists them: name:path parameters.
import assert from "node:assert/strict";
import { test } from "node:test";

import { QuireClient } from "../src/index.js";

const bytes = Uint8Array.from({ length: 512 }, (_, index) => index % 256);
const answer = () => Promise.resolve(new Response(bytes, { headers: { "content-type": "application/octet-stream" } }));
const quire = new QuireClient({ baseUrl: "http://quire.test", fetch: answer });
const listed = (process.env["QUIRE_BINARY"] ?? "").split(",").filter(Boolean);

test("the service names its binary operations", () => assert.ok(listed.includes("getOriginal:2")));

for (const entry of listed) {
  const [name = "", count] = entry.split(":");
  test(`${name} returns the bytes as sent`, async () => {
    const call = (quire as unknown as Record<string, (...values: unknown[]) => Promise<{ data: Uint8Array }>>)[name];
    assert.ok(call, name);
    const content = await call.apply(quire, [...Array.from({ length: Number(count) }, () => "x"), {}]);
    assert.deepEqual(content.data, bytes);
  });
}
