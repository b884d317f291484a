// Extracted values with the evidence of each as an object, in the shape of the Python client.
import type { Box } from "./document.js";
import type * as types from "./types.js";

/** One place of a value: `start` and `end` are offsets in the text of the block, or of its cell number `cell`. */
export interface Place {
  readonly blockId: string;
  readonly page: number;
  readonly bbox: Box | null;
  readonly cell: number | null;
  readonly start: number;
  readonly end: number;
}

/** The text of one value, its places, the rule that found it and the chance (0..1) that it is right. */
export class Evidence {
  constructor(
    readonly text: string,
    readonly confidence: number,
    readonly how: string,
    readonly places: readonly Place[],
  ) {}

  /** Page of the first place, from 1; null for a value that the schema states. */
  get page(): number | null {
    return this.places[0]?.page ?? null;
  }

  /** Box around the places on `page` in points; null where the format has no boxes. */
  get bbox(): Box | null {
    const boxes = this.places.flatMap((place) => (place.page === this.page && place.bbox ? [place.bbox] : []));
    return boxes.length ? boxes.reduce(around) : null;
  }
}

/** Evidence in the shape of the data: `evidence.total?.page`, `evidence.lines[0]?.amount?.bbox`. */
export type EvidenceOf<T> = T extends null | undefined
  ? null
  : T extends ReadonlyArray<infer Item>
    ? Array<EvidenceOf<Item>>
    : T extends object
      ? { readonly [Name in keyof T]: EvidenceOf<T[Name]> }
      : Evidence | null;

/** Values by a schema. `missing`: by JSON pointer, why a value was not found. `raw` is the whole answer. */
export class Values<T> {
  readonly data: T;
  readonly evidence: EvidenceOf<T>;
  readonly missing: Readonly<Record<string, types.Missing>>;
  readonly valid: boolean;

  constructor(readonly raw: types.ExtractedData) {
    this.data = raw.data as T;
    this.evidence = shaped(raw.data, "", raw.evidence ?? {}) as EvidenceOf<T>;
    this.missing = raw.missing ?? {};
    this.valid = raw.valid ?? true;
  }
}

const around = (a: Box, b: Box): Box =>
  [Math.min(a[0], b[0]), Math.min(a[1], b[1]), Math.max(a[2], b[2]), Math.max(a[3], b[3])];

/** The evidence of all values at and below a pointer, in the shape of the value there. */
function shaped(value: unknown, pointer: string, found: Record<string, types.LeafEvidence>): unknown {
  const own = Object.hasOwn(found, pointer) ? found[pointer] : undefined;
  if (own) return readEvidence(own);
  if (Array.isArray(value)) return value.map((item, row) => shaped(item, `${pointer}/${row}`, found));
  if (value === null || typeof value !== "object") return null;
  const below = ([name, item]: [string, unknown]) =>
    [name, shaped(item, `${pointer}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`, found)] as const;
  return Object.fromEntries(Object.entries(value).map(below));
}

function readEvidence(raw: types.LeafEvidence): Evidence {
  const places = raw.places.map(({ block_id, page, bbox, cell, start, end }) => ({
    blockId: block_id, page, bbox: bbox as unknown as Box | null, cell, start, end,
  }));
  return new Evidence(raw.verbatim, raw.confidence, raw.how, places);
}
