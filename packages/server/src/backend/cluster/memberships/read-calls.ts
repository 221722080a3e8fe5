import { DEFAULT_SPACE, type JsonObject, jsonObjectIn } from '@hookline/protocol'
import { type RawBuilder, sql } from 'kysely'
import { textOf } from '../../accepted-event.ts'
import type { CatalogSnapshot } from '../../catalog.ts'
import type { Postgres } from '../postgres/postgres.ts'
import { toText } from '../postgres/text.ts'

/** A call of a client, in the archive. */
export interface ArchivedCall {
  readonly seq: number
  readonly type: string
  /** The number of the profile that its user has now. */
  readonly profile: number
  readonly call: JsonObject
}

export interface CallsQuery {
  readonly space: string
  readonly sources: CatalogSnapshot['sources']
  readonly types: readonly string[]
  /** A condition on the `seq` of the events. */
  readonly where: RawBuilder<unknown>
}

/** Reads calls of users that have a profile in the space, without events that were computed. */
export async function readCalls(
  postgres: Postgres,
  { space, sources, types, where }: CallsQuery,
): Promise<readonly ArchivedCall[]> {
  // OFFSET: each profile is looked up by the index. A plan for all of them at once may read the whole table.
  const rows = await postgres.run(sql<Omit<ArchivedCall, 'call'> & { readonly body: Buffer }>`
    SELECT seq, type, found.profile AS profile, body FROM events CROSS JOIN LATERAL (
      SELECT profile FROM profile_ids WHERE id = coalesce(user_id, anonymous_id)
      AND kind = CASE WHEN user_id IS NULL THEN 'anonymous' ELSE 'user' END AND space = ${toText(space)}
      OFFSET 0) AS found
    WHERE ${where} AND origin IS NULL AND type = ANY (${types}::text[]) AND ${isOfSpace(space, sources)}`)
  return rows.flatMap(({ body, ...row }) => {
    const call = callIn(body)
    return call === undefined ? [] : [{ ...row, call }]
  })
}

/** The call; `undefined` if its body is damaged. */
function callIn(body: Buffer): JsonObject | undefined {
  try {
    return jsonObjectIn(textOf(body))
  } catch {
    return undefined
  }
}

/** A source that is gone was of the default space. */
function isOfSpace(space: string, sources: CatalogSnapshot['sources']): RawBuilder<unknown> {
  const isDefault = space === DEFAULT_SPACE
  const named = [...sources.values()].filter((source) => (spaceOf(source) === space) !== isDefault)
  const ids = named.map(({ id }) => id)
  return isDefault ? sql`source_id <> ALL (${ids}::text[])` : sql`source_id = ANY (${ids}::text[])`
}

function spaceOf({ space = DEFAULT_SPACE }: { readonly space?: string }): string {
  return space
}
