// Sends calls and reads answers; retries what may be sent again. The only module that calls fetch.
import { ApiError, ConnectionFailed, readRefusal } from "./errors.js";
import { RETRY, delay, readRetryAfter, type Retry } from "./retry.js";
import type { Form } from "./uploads.js";

export interface ClientOptions {
  /** Default: QUIRE_URL of the environment, then http://127.0.0.1:8000. */
  baseUrl?: string;
  /** Default: QUIRE_TOKEN of the environment. */
  apiKey?: string;
  /** Organisation inside the key's tenant. */
  org?: string;
  timeoutMs?: number;
  retry?: Partial<Retry>;
  /** Ends every request and pause of this client; what was asked for rejects with its reason. See `with`. */
  signal?: AbortSignal;
  fetch?: typeof fetch;
}

/** One operation with its values. `keyed`: the service knows an Idempotency-Key here, so it may be repeated. */
export interface Call {
  method: string;
  path: string;
  query?: Record<string, unknown>;
  body?: Record<string, unknown>;
  form?: Form;
  keyed?: boolean;
  idempotencyKey?: string | undefined;
  repeatable?: boolean;
}

/** One page of a listing; `nextCursor` is null on the last. */
export type Page<T> = T[] & { nextCursor: string | null };

/** A file or picture. `width`, `height` in points and `pageCount` where the answer is a page. */
export interface Content {
  data: Uint8Array;
  mediaType: string;
  width: number | null;
  height: number | null;
  pageCount: number | null;
}

/** How much longer than the service may hold an answer back we wait for it. */
const SPARE_MS = 15_000;

/** How long a call waits for the search for names that a redacted output needs. */
export const SCANS_S = 3600;

/** Whether an answer is the result of its call: neither an error nor a 202 for a search for names. */
export function isResult(response: Response): boolean {
  return response.ok && !(response.headers.get("content-type") ?? "").startsWith("application/problem+json");
}

export function isScanning(error: unknown): error is ApiError {
  return error instanceof ApiError && error.code === "scan-running";
}

export class Transport {
  protected readonly options: ClientOptions & { baseUrl: string };
  private readonly retry: Retry;

  constructor(options: ClientOptions = {}) {
    const baseUrl = (options.baseUrl ?? variable("QUIRE_URL") ?? "http://127.0.0.1:8000").replace(/\/+$/, "");
    const apiKey = options.apiKey ?? variable("QUIRE_TOKEN");
    this.options = { ...options, baseUrl, ...(apiKey === undefined ? {} : { apiKey }) };
    this.retry = { ...RETRY, ...options.retry };
  }

  protected async json<T>(call: Call): Promise<T> {
    return (await (await this.send(call)).json()) as T;
  }

  protected async page<T>(call: Call): Promise<Page<T>> {
    const response = await this.send(call);
    const items = (await response.json()) as T[];
    return Object.assign(items, { nextCursor: response.headers.get("x-next-cursor") });
  }

  protected async text(call: Call): Promise<string> {
    return (await this.send(call)).text();
  }

  protected async content(call: Call): Promise<Content> {
    const response = await this.send(call);
    const number = (name: string) => {
      const value = response.headers.get(name);
      return value === null ? null : Number(value);
    };
    return {
      data: new Uint8Array(await response.arrayBuffer()),
      mediaType: (response.headers.get("content-type") ?? "application/octet-stream").split(";")[0] ?? "",
      width: number("x-page-width"),
      height: number("x-page-height"),
      pageCount: number("x-page-count"),
    };
  }

  protected async nothing(call: Call): Promise<void> {
    await (await this.send(call)).arrayBuffer();
  }

  protected async *iterate<T>(call: Call): AsyncGenerator<T> {
    const query = { ...call.query };
    while (true) {
      const page = await this.page<T>({ ...call, query });
      yield* page;
      if (page.nextCursor === null) return;
      query["cursor"] = page.nextCursor;
    }
  }

  /** The good answer to a call. Throws `ApiError`, `ConnectionFailed`, or the signal's reason. */
  protected async send(call: Call): Promise<Response> {
    const headers = this.headers(call);
    const repeatable = call.repeatable || call.keyed || call.method === "GET" || call.method === "DELETE";
    const deadline = Date.now() + SCANS_S * 1000;
    for (let attempt = 1; ; attempt++) {
      const result = await this.attempt(call, headers);
      if (result instanceof Response) return result;
      if (isScanning(result) && Date.now() < deadline) {
        await sleep((result.retryAfter ?? 1) * 1000, this.options.signal);
        attempt--;
        continue;
      }
      const [status, after] = result instanceof ApiError ? [result.status, result.retryAfter] : [null, null];
      const pause = delay(this.retry, attempt, status, after, Boolean(repeatable));
      if (pause === null) throw result;
      await sleep(pause, this.options.signal);
    }
  }

  private async attempt(call: Call, headers: Record<string, string>): Promise<Response | ApiError | ConnectionFailed> {
    const { signal } = this.options;
    signal?.throwIfAborted();
    const patience = AbortSignal.timeout(this.patience(call));
    try {
      const response = await this.request(call, headers, signal ? AbortSignal.any([patience, signal]) : patience);
      if (isResult(response)) return response;
      const { status, headers: answered } = response;
      return readRefusal(status, await response.text(), answered.get("x-request-id"), readRetryAfter(answered));
    } catch (error) {
      signal?.throwIfAborted();
      return new ConnectionFailed(String(error), { cause: error });
    }
  }

  /** One send, whatever its answer. */
  protected request(call: Call, headers: Record<string, string>, signal?: AbortSignal): Promise<Response> {
    const url = this.options.baseUrl + call.path + queryOf(call.query);
    const sent = call.form?.send() ?? { body: call.body ? JSON.stringify(call.body) : undefined, headers: {} };
    const init = { method: call.method, headers: { ...headers, ...sent.headers }, signal };
    if ("pieces" in sent) return sent.send(url, { ...init, body: sent.pieces });
    return (this.options.fetch ?? fetch)(url, { ...init, body: sent.body });
  }

  protected headers(call: Call): Record<string, string> {
    const headers: Record<string, string> = {};
    if (this.options.apiKey) headers["X-API-Key"] = this.options.apiKey;
    if (this.options.org) headers["X-DE-Org"] = this.options.org;
    if (call.body) headers["Content-Type"] = "application/json";
    if (call.keyed) headers["Idempotency-Key"] = call.idempotencyKey ?? crypto.randomUUID();
    return headers;
  }

  private patience(call: Call): number {
    const asked = Number(call.query?.["wait"] ?? call.query?.["timeout_s"] ?? 0);
    return asked ? asked * 1000 + SPARE_MS : (this.options.timeoutMs ?? 60_000);
  }
}

/** A variable of the environment; undefined where there is none, as in browsers, or if it is empty. */
function variable(name: string): string | undefined {
  const { process } = globalThis as { process?: { env?: Record<string, string | undefined> } };
  return process?.env?.[name] || undefined;
}

/** Resolves after the pause; rejects at once when the signal fires. */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, ms);
    signal?.addEventListener("abort", stop, { once: true });
    if (signal?.aborted) stop();
  });
}

/** The path with its values, each one segment. */
export function fill(template: string, values: Record<string, string | number>): string {
  return template.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(values[name])));
}

function queryOf(query: Record<string, unknown> | undefined): string {
  const given = Object.entries(query ?? {}).filter(([, value]) => value !== undefined && value !== null);
  const pairs = given.flatMap(([name, value]) =>
    Array.isArray(value) ? value.map((part) => [name, String(part)]) : [[name, String(value)]],
  );
  const text = new URLSearchParams(pairs).toString();
  return text ? `?${text}` : "";
}
