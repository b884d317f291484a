// Uploads with fetch, and with http.request where Expect is sent, which fetch does not allow.
import { readFileSync } from "node:fs";
import http from "node:http";
import { createInterface } from "node:readline";

const PART = 1 << 16;

function headersOf(key, type, mode) {
  const headers = { "X-API-Key": key, "Content-Type": type };
  return mode.includes("expect") ? { ...headers, Expect: "100-continue" } : headers;
}

function streamOf(body, cut) {
  let start = 0;
  return new ReadableStream({
    pull(controller) {
      if (cut && start >= cut) return controller.error(new Error("cut"));
      if (start >= body.length) return controller.close();
      controller.enqueue(body.subarray(start, (start += PART)));
    },
  });
}

async function byFetch(url, key, type, body, mode, cut) {
  const streamed = mode.includes("chunked") || cut;
  const sent = streamed ? { body: streamOf(body, cut), duplex: "half" } : { body };
  const answer = await fetch(url, { method: "POST", headers: headersOf(key, type, mode), ...sent });
  await answer.arrayBuffer();
  return String(answer.status);
}

function byRequest(url, key, type, body, mode, cut) {
  const headers = headersOf(key, type, mode);
  if (mode.includes("chunked")) headers["Transfer-Encoding"] = "chunked";
  else headers["Content-Length"] = body.length;
  return new Promise((resolve, reject) => {
    const request = http.request(url, { method: "POST", headers, agent: false });
    request.on("response", (answer) => answer.resume().on("end", () => resolve(String(answer.statusCode))));
    request.on("error", reject);
    request.on("continue", () => {
      if (!cut) return request.end(body);
      request.write(body.subarray(0, cut), () => request.destroy(new Error("cut")));
    });
    request.flushHeaders();
  });
}

for await (const line of createInterface({ input: process.stdin })) {
  const [url, key, type, file, mode, cut] = line.split("\t");
  const send = mode.includes("expect") ? byRequest : byFetch;
  const hangs = new Promise((resolve) => setTimeout(resolve, 120_000, "hangs").unref());
  const result = send(url, key, type, readFileSync(file), mode, Number(cut)).catch((error) =>
    Number(cut) ? "cut" : `${error.cause?.code ?? error.message}`,
  );
  console.log(await Promise.race([result, hangs]));
}
process.exit(0);
