// Client of the Quire document-extraction service. Runs wherever fetch does; needs nothing else.
export { QuireClient, type ExtractOptions, type JobEvent, type ReadOptions } from "./client.js";
export { Document, DocumentPage, Table, type Block, type Box, type Cell, type TablePart } from "./document.js";
export {
  ApiError,
  Conflict,
  ConnectionFailed,
  DocumentFailed,
  Forbidden,
  Invalid,
  NotFound,
  PaymentRequired,
  QuireError,
  ServerFailed,
  TooLarge,
  TooManyRequests,
  Unauthenticated,
  WaitTimeout,
} from "./errors.js";
export type { ClientOptions, Content, Page } from "./transport.js";
export { type Retry } from "./retry.js";
export type * as types from "./types.js";
export type { FileAddress, NamedFile, StreamedFile, StreamedSend } from "./uploads.js";
export { Evidence, Values, type EvidenceOf, type Place } from "./values.js";
