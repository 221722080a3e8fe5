import { sql } from 'kysely'
import type { SpacedId } from '../../profile-rules.ts'
import type { Connection } from '../postgres/postgres.ts'
import { toText } from '../postgres/text.ts'

/** What the table has of an id. */
export interface FoundId {
  readonly profile: number
  /** Whether it is more than the former id of an alias. */
  readonly isSeen: boolean
}

/** Looks up the profiles of ids. Returns an entry for each, in their order; `undefined` where an id has none. */
export async function findIds(
  connection: Connection,
  ids: readonly SpacedId[],
): Promise<readonly (FoundId | undefined)[]> {
  if (ids.length === 0) return []
  const { spaces, kinds, texts } = columnsOf(ids)
  // OFFSET: each id is looked up by the index. A plan for all of them at once may read the whole table.
  const { rows } = await sql<FoundId & { readonly place: number }>`
    SELECT wanted.place AS place, found.profile AS profile, found.is_seen AS "isSeen"
    FROM unnest(${spaces}::text[], ${kinds}::text[], ${texts}::text[]) WITH ORDINALITY
      AS wanted (space, kind, id, place)
    CROSS JOIN LATERAL (
      SELECT profile, is_seen FROM profile_ids
      WHERE id = wanted.id AND space = wanted.space AND kind = wanted.kind OFFSET 0) AS found`.execute(
    connection,
  )
  const found = new Map(rows.map((row) => [row.place, row]))
  return ids.map((_, index) => found.get(index + 1))
}

/** The columns of ids for `unnest`. */
export function columnsOf(ids: readonly SpacedId[]): {
  readonly spaces: string[]
  readonly kinds: string[]
  readonly texts: string[]
} {
  return {
    spaces: ids.map(({ space }) => toText(space)),
    kinds: ids.map(({ kind }) => kind),
    texts: ids.map(({ id }) => toText(id)),
  }
}

/** Equal for ids that are equal in the database, which has no lone surrogates. */
export function keyOf({ space, kind, id }: SpacedId): string {
  return JSON.stringify([kind, space.toWellFormed(), id.toWellFormed()])
}
