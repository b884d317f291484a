// When to send a request again, and after how long.

/** Up to `attempts` sends; pauses grow from `pauseMs` to `mostMs`; a Retry-After over `mostMs` ends it. */
export interface Retry {
  attempts: number;
  pauseMs: number;
  mostMs: number;
}

export const RETRY: Retry = { attempts: 4, pauseMs: 500, mostMs: 60_000 };

/** Answers after which the same request may succeed. */
const AGAIN = new Set([408, 429, 502, 503, 504]);

/**
 * Milliseconds to pause after send number `attempt` (from 1), or null to give up. `status` null: no answer came.
 * A request that may not be repeated is sent again only after 429: then nothing was done.
 */
export function delay(
  retry: Retry,
  attempt: number,
  status: number | null,
  retryAfter: number | null,
  repeatable: boolean,
): number | null {
  if (attempt >= retry.attempts || (status !== null && !AGAIN.has(status))) return null;
  if (!repeatable && status !== 429) return null;
  if (retryAfter !== null) return retryAfter * 1000 <= retry.mostMs ? retryAfter * 1000 : null;
  return (0.5 + Math.random() / 2) * Math.min(retry.mostMs, retry.pauseMs * 2 ** (attempt - 1));
}

/** Seconds from a Retry-After header (a number or a date), or null. */
export function readRetryAfter(headers: Headers): number | null {
  const text = headers.get("retry-after");
  if (text === null) return null;
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text);
  const at = Date.parse(text);
  return Number.isNaN(at) ? null : Math.max(0, (at - Date.now()) / 1000);
}
