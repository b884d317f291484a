// The client: the generated operations, and by hand what deserves better: uploads, waiting, progress.
import { Document } from "./document.js";
import { DocumentFailed, WaitTimeout, readRefusal } from "./errors.js";
import { Operations } from "./operations.js";
import { readRetryAfter } from "./retry.js";
import { SCANS_S, fill, isResult, isScanning, sleep, type Call, type ClientOptions } from "./transport.js";
import type * as types from "./types.js";
import { Form, type FileAddress, type NamedFile } from "./uploads.js";
import { Values } from "./values.js";

export interface ReadOptions {
  pages?: string;
  password?: string;
  ocr?: "auto" | "always" | "never";
  /** A table that goes on over pages: one table, or one on each page. */
  table_parts?: "joined" | "apart";
  /** Keep the words of pages with their boxes, which evidence then has. */
  words?: boolean;
  metadata?: Record<string, unknown>;
  /** A JSON Schema: `getExtracted` returns its values for each document, `parse` with the tree. */
  extract_schema?: Record<string, unknown>;
  /** Users and groups that may find the documents; all callers if left out. */
  principals?: string[];
  idempotency_key?: string;
}

export interface ExtractOptions {
  redacted?: boolean;
  engine?: "rules" | "llm" | "auto";
  redact?: boolean;
}

/** `job`: the job as it stands now; `end` comes once, without one. */
export type JobEvent = { kind: "job"; job: types.Job } | { kind: "end" };

const ENDED = new Set<string>(["succeeded", "partial", "failed", "canceled"]);
const LONGEST_WAIT_S = 45;

export class QuireClient extends Operations {
  /** A client like this one but for `changes`: `quire.with({ signal }).getTree(…)`, `quire.with({ org: "sales" })`. */
  with(changes: Partial<ClientOptions>): QuireClient {
    return new QuireClient({ ...this.options, ...changes });
  }

  /** Queue one or more files or addresses, not both. Sent again after a lost answer, it still makes one job. */
  createJob(
    files: NamedFile | FileAddress | Array<NamedFile | FileAddress>,
    options: ReadOptions = {},
  ): Promise<types.Job> {
    const sent = submission("files", Array.isArray(files) ? files : [files], options);
    return this.json({
      method: "POST", path: "/v1/jobs", ...sent, keyed: true, idempotencyKey: options.idempotency_key,
    });
  }

  /** One file or address, its tree inline; after `timeout_s` (the service's default: 55) only `job_id` and `status`. */
  parse(
    file: NamedFile | FileAddress,
    options: ReadOptions & { timeout_s?: number } = {},
  ): Promise<types.Parsed | types.Accepted> {
    const query = { timeout_s: options.timeout_s };
    const sent = submission("file", [file], options);
    return this.json({
      method: "POST", path: "/v1/parse", query, ...sent, keyed: true, idempotencyKey: options.idempotency_key,
    });
  }

  /**
   * Read one file and return it with its pages, tables and Markdown. Throws `DocumentFailed`, `WaitTimeout`.
   * The document stays in the service; `deleteJob(document.jobId)` removes it.
   */
  async read(
    file: NamedFile | FileAddress,
    options: ReadOptions & { redacted?: boolean; timeoutS?: number; signal?: AbortSignal } = {},
  ): Promise<Document> {
    const { redacted, timeoutS, signal, ...reading } = options;
    const queued = await this.createJob(file, reading);
    const job = await this.wait(queued.id, { ...(timeoutS && { timeoutS }), ...(signal && { signal }) });
    return this.open(job.documents[0]?.document_id ?? "", { redacted: redacted ?? false });
  }

  /** A document that the service has read. Throws `DocumentFailed` if it could not be read. */
  async open(documentId: string, options: { redacted?: boolean } = {}): Promise<Document> {
    const facts = await this.getDocument(documentId);
    if (facts.status !== "succeeded") throw new DocumentFailed(facts.error ?? facts.status, facts);
    const tree = await this.getTree(facts.job_id, documentId, options);
    const markdown = await this.exportMarkdown(facts.job_id, documentId, options);
    return new Document(documentId, facts.job_id, facts.source_file, markdown, tree);
  }

  /** What changed from `a` to `b`; nothing is stored. */
  compare(a: NamedFile, b: NamedFile): Promise<types.TreeDiff> {
    const form = formOf("a", [a]);
    form.file("b", b);
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

  /**
   * Values by a JSON Schema or the name of a stored one, with the places of each, from a file or a stored document.
   * `engine` llm and auto send texts to the service's language model; `redact` hides personal data from it.
   */
  extract(
    source: NamedFile | { document_id: string },
    schema: Record<string, unknown> | string,
    options: ExtractOptions = {},
  ): Promise<types.ExtractedData> {
    const call = { method: "POST", path: "/v1/extract", query: { redacted: options.redacted }, repeatable: true };
    const chosen = typeof schema === "string" ? { schema_name: schema } : { schema };
    if ("document_id" in source) {
      const { engine, redact } = options;
      return this.json({ ...call, body: { document_id: source.document_id, ...chosen, engine, redact } });
    }
    const form = formOf("file", [source]);
    if (typeof schema === "string") form.field("schema_name", schema);
    else form.field("schema", JSON.stringify(schema));
    if (options.engine) form.field("engine", options.engine);
    return this.json({ ...call, form });
  }

  /** The same for a document too, as a `T` that the schema describes, with the evidence in the shape of `T`. */
  async extractAs<T>(
    source: NamedFile | Document | { document_id: string },
    schema: Record<string, unknown> | string,
    options: ExtractOptions = {},
  ): Promise<Values<T>> {
    const given = source instanceof Document ? { document_id: source.id } : source;
    return new Values<T>(await this.extract(given, schema, options));
  }

  /** A job's progress: `job` at every change, `end` once. */
  async *streamJobEvents(jobId: string, signal?: AbortSignal): AsyncGenerator<JobEvent> {
    const call = { method: "GET", path: fill("/v1/jobs/{job_id}/events", { job_id: jobId }) };
    for await (const block of this.stream(call, "\n\n", signal)) {
      const event = readEvent(block);
      if (event) yield event;
    }
  }

  /** The records of `exportFinetune` as they come; the same options. Waits for scans of personal data. */
  async *streamFinetune(
    jobId: string,
    options: Parameters<Operations["exportFinetune"]>[1] = {},
  ): AsyncGenerator<Record<string, unknown>> {
    const path = fill("/v1/jobs/{job_id}/export/finetune", { job_id: jobId });
    const deadline = Date.now() + SCANS_S * 1000;
    while (true) {
      try {
        for await (const line of this.stream({ method: "GET", path, query: { ...options } }, "\n")) {
          if (line) yield JSON.parse(line) as Record<string, unknown>;
        }
        return;
      } catch (error) {
        if (!isScanning(error) || Date.now() > deadline) throw error;
        await sleep((error.retryAfter ?? 1) * 1000, this.options.signal);
      }
    }
  }

  /** An answer piece by piece; leaving the loop ends the request. */
  private async *stream(call: Call, end: string, signal = this.options.signal): AsyncGenerator<string> {
    const response = await this.request(call, this.headers(call), signal);
    const { status, headers } = response;
    if (!isResult(response) || !response.body) {
      throw readRefusal(status, await response.text(), headers.get("x-request-id"), readRetryAfter(headers));
    }
    yield* pieces(response.body, end);
  }

  /** The job once it has ended. Throws `WaitTimeout` after `timeoutS` seconds, the signal's reason when it fires. */
  async wait(
    jobId: string,
    options: {
      timeoutS?: number;
      onChange?: (job: types.Job) => void | Promise<void>;
      signal?: AbortSignal;
    } = {},
  ): Promise<types.Job> {
    const quire = options.signal ? this.with({ signal: options.signal }) : this;
    const timeoutS = options.timeoutS ?? 600;
    const deadline = Date.now() + timeoutS * 1000;
    while (true) {
      const left = Math.max(0, (deadline - Date.now()) / 1000);
      const job = await quire.getJob(jobId, { wait: Math.min(left, options.onChange ? 2 : LONGEST_WAIT_S) });
      await options.onChange?.(job);
      if (ENDED.has(job.status)) return job;
      if (left <= 0) throw new WaitTimeout(`${jobId} is ${job.status} after ${timeoutS} s`);
    }
  }
}

/** The pieces of a text between `end` and `end`. */
async function* pieces(body: ReadableStream<Uint8Array>, end: string): AsyncGenerator<string> {
  const decoder = new TextDecoderStream() as unknown as ReadableWritablePair<string, Uint8Array>;
  const reader = body.pipeThrough(decoder).getReader();
  let rest = "";
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      const found = (rest + read.value).split(end);
      rest = found.pop() ?? "";
      yield* found;
    }
    if (rest) yield rest;
  } finally {
    await reader.cancel();
  }
}

/** What a call carries: files as a form, or addresses that the service fetches itself. */
function submission(
  part: "files" | "file",
  files: Array<NamedFile | FileAddress>,
  options: ReadOptions,
): Pick<Call, "form" | "body"> {
  const urls: string[] = [];
  const content: NamedFile[] = [];
  for (const file of files) {
    if (typeof file === "string" || file instanceof URL) urls.push(String(file));
    else content.push(file);
  }
  if (!urls.length) return { form: formOf(part, content, options) };
  if (content.length) throw new TypeError("files and addresses cannot be sent in one call");
  return { body: { ...(part === "files" ? { urls } : { url: urls[0] }), ...fieldsOf(options) } };
}

/** The form fields beside the files, without what was left out. */
function fieldsOf(options: ReadOptions): Record<string, string> {
  const { pages, password, ocr, table_parts, words, metadata, extract_schema, principals } = options;
  const objects = { metadata: metadata && JSON.stringify(metadata), extract_schema: extract_schema && JSON.stringify(extract_schema) };
  const given = { pages, password, ocr, table_parts, words: words?.toString(), ...objects, principals: principals?.join(",") };
  return Object.fromEntries(Object.entries(given).filter((field): field is [string, string] => field[1] !== undefined));
}

function formOf(part: string, files: NamedFile[], options: ReadOptions = {}): Form {
  const form = new Form();
  for (const [name, value] of Object.entries(fieldsOf(options))) form.field(name, value);
  for (const file of files) form.file(part, file);
  return form;
}

function readEvent(block: string): JobEvent | null {
  const field = (name: string) => block.split("\n").find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
  const kind = field("event");
  if (kind === "end") return { kind };
  return kind === "job" ? { kind, job: JSON.parse(field("data") ?? "{}") as types.Job } : null;
}
