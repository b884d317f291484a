// What only Node can do: a file that is read from disk while it is sent, at the pace of the connection.
import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { request as requestHttp, type IncomingMessage } from "node:http";
import { request as requestHttps } from "node:https";
import { basename } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";

import type { StreamedFile, StreamedSend } from "./uploads.js";

/** The file at `path`, read piece by piece while it is sent, anew for every attempt. */
export async function openFile(path: string): Promise<StreamedFile> {
  const { size } = await stat(path);
  return { name: basename(path), size, open: () => createReadStream(path, { end: Math.max(0, size - 1) }), send };
}

/** Node's fetch takes a whole streamed body into memory before the socket has room for it; its http does not. */
const send: StreamedSend = (url, { method, headers, body, signal }) =>
  new Promise((resolve, reject) => {
    const request = url.startsWith("https:") ? requestHttps : requestHttp;
    const sent = request(url, { method, headers, signal }, (answer) => resolve(responseOf(answer)));
    sent.on("error", reject);
    pipeline(Readable.from(body), sent).catch(reject); // an answer that came before the end has resolved already
  });

function responseOf(answer: IncomingMessage): Response {
  const headers = new Headers();
  for (const [name, value] of Object.entries(answer.headers)) headers.set(name, String(value));
  const body = Readable.toWeb(answer) as unknown as ReadableStream<Uint8Array>;
  return new Response(body, { status: answer.statusCode ?? 502, headers });
}
