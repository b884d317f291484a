// The client: the generated operations, and by hand what deserves better: uploads, waiting, progress.
import { WaitTimeout, readRefusal } from "./errors.js";
import { Operations } from "./operations.js";
import { readRetryAfter } from "./retry.js";
import { fill } from "./transport.js";
import type * as types from "./types.js";

/** A File, or content with a name. In Node, `openFile` of "quire-client/node" makes one that streams from disk. */
export type NamedFile = File | { name: string; content: Blob };

export interface ReadOptions {
  pages?: string;
  password?: string;
  ocr?: "auto" | "always" | "never";
  metadata?: Record<string, unknown>;
  idempotency_key?: string;
}

/** `job`: the job as it stands now; `end` comes once, without one. */
export type JobEvent = { kind: "job"; job: types.Job } | { kind: "end" };

const ENDED = new Set<string>(["succeeded", "partial", "failed", "canceled"]);
const LONGEST_WAIT_S = 45;

export class QuireClient extends Operations {
  /** Queue one or more files. Sent again after a lost answer, it still makes one job. */
  createJob(files: NamedFile | NamedFile[], options: ReadOptions = {}): Promise<types.Job> {
    const form = formOf("files", Array.isArray(files) ? files : [files], options);
    return this.json({ method: "POST", path: "/v1/jobs", form, keyed: true, idempotencyKey: options.idempotency_key });
  }

  /** One file, its tree inline; after `timeout_s` (the service's default: 55) only `job_id` and `status`. */
  parse(file: NamedFile, options: ReadOptions & { timeout_s?: number } = {}): Promise<types.Parsed | types.Accepted> {
    const query = { timeout_s: options.timeout_s };
    const form = formOf("file", [file], options);
    return this.json({
      method: "POST", path: "/v1/parse", query, form, keyed: true, idempotencyKey: options.idempotency_key,
    });
  }

  /** What changed from `a` to `b`; nothing is stored. */
  compare(a: NamedFile, b: NamedFile): Promise<types.TreeDiff> {
    const form = formOf("a", [a]);
    append(form, "b", b);
    return this.json({ method: "POST", path: "/v1/compare", form, repeatable: true });
  }

  /** How well each file can be read; nothing is stored. */
  evaluate(files: NamedFile[]): Promise<types.QualityReport> {
    return this.json({ method: "POST", path: "/v1/evaluate", form: formOf("files", files), repeatable: true });
  }

  /** The same as one self-contained page. */
  evaluateHtml(files: NamedFile[]): Promise<string> {
    const query = { format: "html" };
    return this.text({ method: "POST", path: "/v1/evaluate", query, form: formOf("files", files), repeatable: true });
  }

  /** A job's progress: `job` at every change, `end` once. */
  async *streamJobEvents(jobId: string, signal?: AbortSignal): AsyncGenerator<JobEvent> {
    const call = { method: "GET", path: fill("/v1/jobs/{job_id}/events", { job_id: jobId }) };
    const response = await this.request(call, this.headers(call), signal);
    const { status, headers } = response;
    if (!response.ok || !response.body) {
      throw readRefusal(status, await response.text(), headers.get("x-request-id"), readRetryAfter(headers));
    }
    let rest = "";
    for await (const text of response.body.pipeThrough(new TextDecoderStream()) as unknown as AsyncIterable<string>) {
      const blocks = (rest + text).split("\n\n");
      rest = blocks.pop() ?? "";
      for (const block of blocks) {
        const event = readEvent(block);
        if (event) yield event;
      }
    }
  }

  /** The job once it has ended. Throws `WaitTimeout` after `timeoutS` seconds. */
  async wait(
    jobId: string,
    options: { timeoutS?: number; onChange?: (job: types.Job) => void } = {},
  ): Promise<types.Job> {
    const timeoutS = options.timeoutS ?? 600;
    const deadline = Date.now() + timeoutS * 1000;
    while (true) {
      const left = Math.max(0, (deadline - Date.now()) / 1000);
      const job = await this.getJob(jobId, { wait: Math.min(left, options.onChange ? 2 : LONGEST_WAIT_S) });
      options.onChange?.(job);
      if (ENDED.has(job.status)) return job;
      if (left <= 0) throw new WaitTimeout(`${jobId} is ${job.status} after ${timeoutS} s`);
    }
  }
}

function formOf(part: string, files: NamedFile[], options: ReadOptions = {}): FormData {
  const form = new FormData();
  for (const name of ["pages", "password", "ocr"] as const) {
    const value = options[name];
    if (value !== undefined) form.append(name, value);
  }
  if (options.metadata !== undefined) form.append("metadata", JSON.stringify(options.metadata));
  for (const file of files) append(form, part, file);
  return form;
}

function append(form: FormData, part: string, file: NamedFile): void {
  if (file instanceof File) form.append(part, file);
  else form.append(part, file.content, file.name);
}

function readEvent(block: string): JobEvent | null {
  const field = (name: string) => block.split("\n").find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
  const kind = field("event");
  if (kind === "end") return { kind };
  return kind === "job" ? { kind, job: JSON.parse(field("data") ?? "{}") as types.Job } : null;
}
