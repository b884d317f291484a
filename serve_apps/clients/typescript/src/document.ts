// A document that the service has read: its tree as objects, in the shape of the Python client.

/** x0, y0, x1, y1 in points, from the top left corner of the page. */
export type Box = readonly [number, number, number, number];

/** One cell; `row` and `col` count from 0. `value`: the ISO date or time of a spreadsheet cell with a date format. */
export interface Cell {
  readonly row: number;
  readonly col: number;
  readonly text: string;
  readonly rowSpan: number;
  readonly colSpan: number;
  readonly header: boolean;
  readonly bbox: Box | null;
  readonly confidence: number;
  readonly value: string | null;
}

/** The part of a table on one page: `rows` rows after those of the parts before it. */
export interface TablePart {
  readonly page: number;
  readonly rows: number;
  readonly bbox: Box | null;
}

/** One block in reading order. `raw` is its JSON with everything else, such as spans and provenance. */
export interface Block {
  readonly id: string;
  readonly type: string;
  readonly page: number;
  readonly text: string;
  readonly level: number | null;
  readonly parent: string | null;
  readonly bbox: Box | null;
  readonly confidence: number;
  readonly flags: readonly string[];
  readonly table: Table | null;
  readonly raw: Json;
}

type Json = Readonly<Record<string, unknown>>;

/** One table. A table that continues over pages is one table with `parts`. */
export class Table {
  constructor(
    readonly blockId: string,
    readonly page: number,
    readonly bbox: Box | null,
    readonly rows: number,
    readonly cols: number,
    readonly cells: readonly Cell[],
    readonly parts: readonly TablePart[],
  ) {}

  /** Texts by row and column. A cell that spans several places has its text in each. */
  get grid(): string[][] {
    const grid = Array.from({ length: this.rows }, () => Array.from({ length: this.cols }, () => ""));
    for (const cell of this.cells) {
      for (const line of grid.slice(cell.row, cell.row + cell.rowSpan)) {
        line.fill(cell.text, cell.col, Math.min(cell.col + cell.colSpan, this.cols));
      }
    }
    return grid;
  }

  /** Number of rows at the top whose cells are all headers. */
  get headerRows(): number {
    return Math.min(this.rows, ...this.cells.filter((cell) => !cell.header).map((cell) => cell.row));
  }

  /** Names of the columns: their header texts from top to bottom, unique; `column_1` where there is none. */
  get columns(): string[] {
    const head = this.grid.slice(0, this.headerRows);
    const names: string[] = [];
    for (let col = 0; col < this.cols; col++) {
      const texts = new Set(head.map((row) => (row[col] ?? "").trim()).filter(Boolean));
      const base = [...texts].join(" ") || `column_${col + 1}`;
      let name = base;
      for (let number = 2; names.includes(name); number++) name = `${base}_${number}`;
      names.push(name);
    }
    return names;
  }

  /** Rows below the header. */
  get body(): string[][] {
    return this.grid.slice(this.headerRows);
  }

  /** The rows below the header as objects by column name. */
  toObjects(): Array<Record<string, string>> {
    const columns = this.columns;
    return this.body.map((row) => Object.fromEntries(columns.map((name, col) => [name, row[col] ?? ""])));
  }

  /** The table as CSV with a header line. */
  toCsv(): string {
    const quoted = (text: string) => (/[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
    return [this.columns, ...this.body].map((row) => `${row.map(quoted).join(",")}\n`).join("");
  }
}

/** One page with the blocks that start on it. `width` and `height` are points. */
export class DocumentPage {
  constructor(
    readonly number: number,
    readonly label: string | null,
    readonly width: number,
    readonly height: number,
    readonly route: string,
    readonly status: string,
    readonly blocks: readonly Block[],
  ) {}

  /** The texts of the page's blocks, one per line. */
  get text(): string {
    return textOf(this.blocks);
  }

  /** Tables that start on this page. */
  get tables(): Table[] {
    return tablesOf(this.blocks);
  }
}

/** A read document. `tree` is the JSON of the API; `pages`, `blocks` and `tables` are typed views of it. */
export class Document {
  readonly blocks: readonly Block[];
  readonly pages: readonly DocumentPage[];

  constructor(
    readonly id: string,
    readonly jobId: string,
    readonly name: string,
    readonly markdown: string,
    readonly tree: Json,
  ) {
    this.blocks = list(tree["blocks"]).map(readBlock);
    this.pages = list(tree["pages"]).map((page) => readPage(page, this.blocks));
  }

  /** All tables in reading order. */
  get tables(): Table[] {
    return tablesOf(this.blocks);
  }

  /** The texts of all blocks, one per line. */
  get text(): string {
    return textOf(this.blocks);
  }

  /** Title, author, dates and language as the file states them. */
  get metadata(): Json {
    return (this.tree["metadata"] ?? {}) as Json;
  }
}

const list = (value: unknown) => (value ?? []) as Json[];
const textOf = (blocks: readonly Block[]) => blocks.flatMap((block) => block.text || []).join("\n");
const tablesOf = (blocks: readonly Block[]) => blocks.flatMap((block) => block.table ?? []);
const boxOf = (raw: Json) => (raw["bbox"] ?? null) as Box | null;

function readBlock(raw: Json): Block {
  return {
    id: raw["id"] as string,
    type: raw["type"] as string,
    page: raw["page"] as number,
    text: (raw["text"] ?? "") as string,
    level: (raw["level"] ?? null) as number | null,
    parent: (raw["parent"] ?? null) as string | null,
    bbox: boxOf(raw),
    confidence: (raw["confidence"] ?? 1) as number,
    flags: (raw["flags"] ?? []) as string[],
    table: raw["table"] ? readTable(raw, raw["table"] as Json) : null,
    raw,
  };
}

function readTable(block: Json, raw: Json): Table {
  const parts = list(raw["parts"]).map((part) => ({
    page: part["page"] as number, rows: part["rows"] as number, bbox: boxOf(part),
  }));
  const [id, page] = [block["id"] as string, block["page"] as number];
  const [rows, cols] = [raw["rows"] as number, raw["cols"] as number];
  return new Table(id, page, boxOf(block), rows, cols, list(raw["cells"]).map(readCell), parts);
}

function readCell(raw: Json): Cell {
  return {
    row: raw["row"] as number,
    col: raw["col"] as number,
    text: (raw["text"] ?? "") as string,
    rowSpan: (raw["row_span"] ?? 1) as number,
    colSpan: (raw["col_span"] ?? 1) as number,
    header: (raw["header"] ?? false) as boolean,
    bbox: boxOf(raw),
    confidence: (raw["confidence"] ?? 1) as number,
    value: (raw["value"] ?? null) as string | null,
  };
}

function readPage(raw: Json, blocks: readonly Block[]): DocumentPage {
  const number = raw["number"] as number;
  return new DocumentPage(
    number,
    (raw["label"] ?? null) as string | null,
    raw["width"] as number,
    raw["height"] as number,
    (raw["route"] ?? "") as string,
    (raw["status"] ?? "ok") as string,
    blocks.filter((block) => block.page === number),
  );
}
