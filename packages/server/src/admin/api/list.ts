import Type, { type TSchema } from 'typebox'
import type { Page, PageRequest } from '../../backend/page.ts'
import { decodeCursor, encodeCursor } from './cursor.ts'
import { nullable } from './schema-parts.ts'

/** The query parameters of every list. */
export const listQuery = {
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 200, default: 50, description: '1 to 200; 50 if absent.' }),
  ),
  cursor: Type.Optional(
    Type.String({ minLength: 1, description: 'nextCursor of the previous page.' }),
  ),
}

/** Part of the description of lists with filters. */
export const SHORT_PAGES =
  'If few records match the filter, a page may be short or even empty and still have a nextCursor: continue until it is null.'

/** The schema of a page of `item`, and of what else is in the response. */
export function pageSchema(item: TSchema, more: Readonly<Record<string, TSchema>> = {}): TSchema {
  return Type.Object({
    data: Type.Array(item),
    nextCursor: nullable(Type.String({ description: 'null on the last page.' })),
    ...more,
  })
}

interface ListQuery {
  readonly limit?: number
  readonly cursor?: string
}

/** A list of the API. It makes the cursors and presents the items. */
export class List<T> {
  readonly #name: string
  readonly #present: (item: T) => object

  constructor(name: string, present: (item: T) => object) {
    this.#name = name
    this.#present = present
  }

  /** The response to a query, with the page that `load` returns. */
  async page(
    { limit = 50, cursor }: ListQuery,
    load: (page: PageRequest) => Promise<Page<T>> | Page<T>,
  ): Promise<{ data: readonly object[]; nextCursor: string | null }> {
    const from = cursor === undefined ? {} : { cursor: decodeCursor(this.#name, cursor) }
    const { data, nextCursor } = await load({ limit, ...from })
    return {
      data: data.map(this.#present),
      nextCursor: nextCursor === null ? null : encodeCursor(this.#name, nextCursor),
    }
  }
}

/** A page of records that are all in memory, oldest first: ids sort by creation time. */
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
