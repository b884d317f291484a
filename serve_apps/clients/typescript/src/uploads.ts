// Files to send: a FormData where everything is a Blob, else a multipart body that is read while it is sent.

/** Sends a body at the pace of the connection, where `fetch` would take it into memory first. */
export type StreamedSend = (
  url: string,
  init: {
    method: string;
    headers: Record<string, string>;
    body: AsyncIterable<Uint8Array>;
    signal: AbortSignal | undefined;
  },
) => Promise<Response>;

/** Content that is opened anew for every attempt and read piece by piece; `openFile` of "quire-client/node" makes one. */
export interface StreamedFile {
  name: string;
  /** Bytes that `open` will give. */
  size: number;
  open(): AsyncIterable<Uint8Array>;
  send?: StreamedSend;
}

/** A File, content with a name, or a file that is streamed. */
export type NamedFile = File | { name: string; content: Blob } | StreamedFile;

/** The address of a file (http:, https:): the service fetches it itself. */
export type FileAddress = string | URL;

/** A body for one attempt: for `fetch`, or in pieces with what sends them. */
export type Sent =
  | { body: FormData; headers: Record<string, string> }
  | { pieces: AsyncIterable<Uint8Array>; headers: Record<string, string>; send: StreamedSend };

export class Form {
  private readonly fields: Array<[string, string]> = [];
  private readonly files: Array<[string, NamedFile]> = [];

  field(name: string, value: string): void {
    this.fields.push([name, value]);
  }

  file(part: string, file: NamedFile): void {
    this.files.push([part, file]);
  }

  /** A body for one attempt. */
  send(): Sent {
    const streamed = this.files.map(([, file]) => file).find((file): file is StreamedFile => "open" in file);
    return streamed ? this.streamed(streamed.send ?? sendByFetch) : this.whole();
  }

  private whole(): Sent {
    const body = new FormData();
    for (const [name, value] of this.fields) body.append(name, value);
    for (const [part, file] of this.files) {
      if (file instanceof File) body.append(part, file);
      else if ("content" in file) body.append(part, file.content, file.name);
    }
    return { body, headers: {} };
  }

  private streamed(send: StreamedSend): Sent {
    const boundary = crypto.randomUUID();
    const end = new TextEncoder().encode(`--${boundary}--\r\n`);
    const parts = [
      ...this.fields.map(([name, value]) => partOf(boundary, name, value)),
      ...this.files.map(([name, file]) => partOf(boundary, name, file)),
    ];
    const size = parts.reduce((sum, part) => sum + part.head.length + part.size + 2, end.length);
    const headers = { "Content-Type": `multipart/form-data; boundary=${boundary}`, "Content-Length": String(size) };
    return { pieces: piecesOf(parts, end), headers, send };
  }
}

const sendByFetch: StreamedSend = (url, { body, ...init }) =>
  fetch(url, { ...init, body: body as unknown as BodyInit, duplex: "half" } as RequestInit);

interface Part {
  head: Uint8Array;
  size: number;
  open(): AsyncIterable<Uint8Array>;
}

function partOf(boundary: string, name: string, value: string | NamedFile): Part {
  const head = (more: string) =>
    new TextEncoder().encode(`--${boundary}\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n`);
  if (typeof value === "string") {
    const bytes = new TextEncoder().encode(value);
    return { head: head(""), size: bytes.length, open: () => once(bytes) };
  }
  const file = head(`; filename="${quoted(value.name)}"\r\nContent-Type: application/octet-stream`);
  if ("open" in value) return { head: file, size: value.size, open: () => value.open() };
  const content = value instanceof File ? value : value.content;
  return { head: file, size: content.size, open: () => content.stream() as unknown as AsyncIterable<Uint8Array> };
}

async function* piecesOf(parts: Part[], end: Uint8Array): AsyncGenerator<Uint8Array> {
  for (const part of parts) {
    yield part.head;
    yield* part.open();
    yield new TextEncoder().encode("\r\n");
  }
  yield end;
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

/** A name as FormData writes it. */
function quoted(name: string): string {
  return name.replace(/["\r\n]/g, (one) => encodeURIComponent(one));
}
