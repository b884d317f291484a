// What a call may throw. `ApiError` carries what the service said; its `code` is stable, its text is not.

import type * as types from "./types.js";

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

/** The service accepted the file but could not read it. `code` is one of docs/errors.md; `document` has the details. */
export class DocumentFailed extends QuireError {
  override name = "DocumentFailed";

  constructor(
    readonly code: string,
    readonly document: types.DocumentAlone,
  ) {
    super(`${document.source_file}: ${code}${document.error_detail ? `: ${document.error_detail}` : ""}`);
  }
}

/**
 * The service refused. `requestId` finds the request in its log; `retryAfter` is in seconds; `body` is the whole answer
 * where it was JSON: a 402 of the hosted console carries `resets_at`, a 422 every entry.
 */
export class ApiError extends QuireError {
  override name = "ApiError";

  constructor(
    readonly status: number,
    readonly code: string,
    readonly detail: string,
    readonly requestId: string | null,
    readonly retryAfter: number | null,
    readonly body: unknown = null,
  ) {
    super(`${status} ${code}: ${detail}`);
  }
}

/** 401: the key is missing, unknown or revoked. */
export class Unauthenticated extends ApiError {}
/** 402: the pages of this month are used, or the licence has ended. */
export class PaymentRequired extends ApiError {}
/** 403: the key may not do this. */
export class Forbidden extends ApiError {}
/** 404: there is no such thing, or it is another tenant's. */
export class NotFound extends ApiError {}
/** 409: not in this state, or the idempotency key was used for something else. */
export class Conflict extends ApiError {}
/** 413: a file is over the cap, or there are too many. */
export class TooLarge extends ApiError {}
/** 422: a parameter, the body or the file cannot be used; `body` says where. */
export class Invalid extends ApiError {}
/** 429: slower, or fewer documents at once; `retryAfter` says when. */
export class TooManyRequests extends ApiError {}
/** 5xx: the service, or what stands behind it, failed. */
export class ServerFailed extends ApiError {}

const BY_STATUS: Record<number, typeof ApiError> = {
  401: Unauthenticated,
  402: PaymentRequired,
  403: Forbidden,
  404: NotFound,
  409: Conflict,
  413: TooLarge,
  422: Invalid,
  429: TooManyRequests,
};

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
  const kind = BY_STATUS[status] ?? (status >= 500 ? ServerFailed : ApiError);
  return new kind(status, code, detail, requestId, retryAfter, body);
}
