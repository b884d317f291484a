// What a call may throw. `ApiError` carries what the service said; its `code` is stable, its text is not.

/** Any failure of this client. */
export class QuireError extends Error {
  override name = "QuireError";
}

/** No answer came, after all attempts. */
export class ConnectionFailed extends QuireError {
  override name = "ConnectionFailed";
}

/** The job had not ended in time; it goes on. */
export class WaitTimeout extends QuireError {
  override name = "WaitTimeout";
}

/** The service refused. `requestId` finds the request in its log; `retryAfter` is in seconds. */
export class ApiError extends QuireError {
  override name = "ApiError";

  constructor(
    readonly status: number,
    readonly code: string,
    readonly detail: string,
    readonly requestId: string | null,
    readonly retryAfter: number | null,
  ) {
    super(`${status} ${code}: ${detail}`);
  }
}

interface Entry {
  type?: string;
  loc?: Array<string | number>;
  msg?: string;
}

/** An `ApiError` from a problem body, a 422 list, or something a proxy made up. */
export function readRefusal(
  status: number,
  text: string,
  requestId: string | null,
  retryAfter: number | null,
): ApiError {
  let body: { code?: unknown; detail?: unknown } = {};
  try {
    body = JSON.parse(text) ?? {};
  } catch {
    // no JSON: the status says enough
  }
  let code = "http-error";
  let detail = "";
  if (typeof body.code === "string") {
    code = body.code;
    detail = String(body.detail ?? "");
  } else if (Array.isArray(body.detail) && body.detail.length > 0) {
    const first = body.detail[0] as Entry;
    code = first.type ?? code;
    detail = `${(first.loc ?? []).join(".")}: ${first.msg ?? ""}`;
  }
  return new ApiError(status, code, detail, requestId, retryAfter);
}
