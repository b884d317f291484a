// What only Node can do: a file that is read from disk while it is sent.
import { openAsBlob } from "node:fs";
import { basename } from "node:path";

import type { NamedFile } from "./client.js";

/** The file at `path`, streamed when sent. */
export async function openFile(path: string): Promise<NamedFile> {
  return { name: basename(path), content: await openAsBlob(path) };
}
