import { INGEST_CODES, type IngestCode } from '@hookline/protocol'
import { code, plain, table } from '../markdown.ts'

/** What the client should do after a response with this status. */
const STATUSES: Readonly<Record<number, string>> = {
  200: 'Stored. `rejected` lists calls of a batch that were not.',
  400: 'Nothing was stored. Mend the request: it will be refused again. Sizes, too, get 400 and not 413, because some clients retry a 413 for ever.',
  401: 'Nothing was stored. Use the write key of an existing source.',
  403: 'Nothing was stored. The source is disabled.',
  404: 'There is no such path.',
  405: '`Allow` has the methods of this path.',
  408: 'The request did not arrive in time. Send it again.',
  421: 'Not at the paths of this page: `/metrics` and `/readyz` only.',
  429: 'Nothing was stored. Send it again after `Retry-After`.',
  431: 'The headers are too large.',
  500: 'A bug. Send it again.',
  503: 'Nothing was stored: the disk is full, or memory is. Send it again after `Retry-After`.',
}

/** The statuses, then the codes. */
export function responseTables(): string[] {
  const codes = Object.entries<IngestCode>(INGEST_CODES)
  const statuses = [200, ...new Set(codes.map(([, { status }]) => status))].toSorted(
    (a, b) => a - b,
  )
  return [
    table(
      ['status', 'meaning'],
      statuses.map((status) => [String(status), STATUSES[status] ?? missing(status)]),
    ),
    table(
      ['code', 'status', 'message', 'what to do'],
      codes.map(([name, { status, message, help }]) => [
        code(name),
        String(status),
        plain(message),
        plain(help),
      ]),
    ),
  ]
}

function missing(status: number): never {
  throw new Error(`The status ${status} has no meaning in the table.`)
}
