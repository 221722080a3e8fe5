import { INGEST_CODES, type IngestCodeName } from './codes.ts'

/** Every error answer of the ingestion API. Client libraries read `code`, `message` and the string `error`. */
export interface IngestError {
  readonly success: false
  readonly code: IngestCodeName
  readonly message: string
  /** Code and message together. */
  readonly error: string
}

/** What the answer with this code says. */
export function ingestError(code: IngestCodeName): IngestError {
  const { message } = INGEST_CODES[code]
  return { success: false, code, message, error: `${code}: ${message}` }
}
