import { parseTimestamp } from '@hookline/protocol'
import { InvalidCursorError, type Page, type PageRequest } from '../../backend/page.ts'
import { fieldError } from '../../util/field-error.ts'
import { Problem } from '../problems/problem.ts'
import { TIME_FORMAT } from './schema.ts'

interface PageQuery {
  readonly limit?: number
  readonly cursor?: string
}

/** A list in the API: encodes its cursors and presents its items. */
export class List<T> {
  readonly #name: string
  readonly #present: (item: T) => object

  constructor(name: string, present: (item: T) => object) {
    this.#name = name
    this.#present = present
  }

  /** The response to a query, with the page that `load` returns. */
  async page(
    { limit = 50, cursor }: PageQuery,
    load: (page: PageRequest) => Promise<Page<T>> | Page<T>,
  ): Promise<{ data: readonly object[]; nextCursor: string | null }> {
    const from = cursor === undefined ? {} : { cursor: decodeCursor(this.#name, cursor) }
    const { data, nextCursor } = await (async () => load({ limit, ...from }))().catch(refuseCursor)
    return {
      data: data.map(this.#present),
      nextCursor: nextCursor && Buffer.from(`${this.#name} ${nextCursor}`).toString('base64url'),
    }
  }
}

function refuseCursor(error: unknown): never {
  throw error instanceof InvalidCursorError ? new Problem('invalid_cursor') : error
}

/** A page of records in memory, oldest first: ids sort by creation time. */
export function pageOf<T extends { readonly id: string }>(
  records: Iterable<T>,
  { limit, cursor = '' }: PageRequest,
): Page<T> {
  const rest = [...records]
    .filter(({ id }) => id > cursor)
    .toSorted((a, b) => (a.id < b.id ? -1 : 1))
  const data = rest.slice(0, limit)
  return { data, nextCursor: rest.length > limit ? data.at(-1)!.id : null }
}

// The name of the list and a position: an id, a number or a userId.
const CURSOR = /^(\S+) (.{1,2000})$/su

/** The position in a cursor. @throws {Problem} `invalid_cursor`, including for a cursor of another list */
function decodeCursor(list: string, cursor: string): string {
  const [, name, position] = CURSOR.exec(Buffer.from(cursor, 'base64url').toString()) ?? []
  if (name !== list || position === undefined) throw new Problem('invalid_cursor')
  return position
}

/** The time range of the query, in milliseconds since the epoch. @throws {Problem} `invalid_query` */
export function parseTimeRange(query: { readonly from?: string; readonly to?: string }): {
  readonly from?: number
  readonly to?: number
} {
  const read = (['from', 'to'] as const)
    .filter((name) => query[name] !== undefined)
    .map((name) => [name, parseTimestamp(query[name])] as const)
  const errors = read
    .filter(([, ms]) => ms === undefined)
    .map(([name]) =>
      fieldError(`/${name}`, 'invalid_format', `${name} is not a valid time.`, TIME_FORMAT),
    )
  if (errors.length > 0) throw new Problem('invalid_query', { errors })
  return Object.fromEntries(read) as { from?: number; to?: number }
}
