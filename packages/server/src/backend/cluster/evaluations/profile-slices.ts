import { type RawBuilder, sql } from 'kysely'
import type { Postgres } from '../postgres/postgres.ts'

/** Profiles of one slice, and the bytes of their traits and results, about: JavaScript parses them in one turn. */
const PROFILES = 2_000
const BYTES = 4 * 1024 * 1024
/** Look-ups of one slice: some tenths of a second. */
const LOOK_UPS = 20_000

/** Some profiles, in the order of their numbers. */
export interface ProfileSlice {
  /** The number of the last one. */
  readonly through: number
  readonly isEnd: boolean
  /** How many of them are of the space. */
  readonly looked: number
}

export interface SliceQuery {
  readonly space: string
  readonly after: number
  /** A condition on `id` and `space` of profiles; without it, profiles of every space are in the slice. */
  readonly only?: RawBuilder<unknown>
  /** Look-ups in other tables that each profile costs. More of them make the slice smaller. */
  readonly lookUps?: number
}

interface SliceRow {
  readonly all: number
  readonly kept: number
  readonly looked: number
  readonly through: number | null
}

/** The next slice of profiles; `undefined` where there are no more. Has at least one, however large it is. */
export async function nextSlice(
  postgres: Postgres,
  { space, after, only = sql`true`, lookUps = 1 }: SliceQuery,
): Promise<ProfileSlice | undefined> {
  const most = Math.min(PROFILES, Math.ceil(LOOK_UPS / lookUps))
  const [row] = await postgres.run(sql<SliceRow>`
    SELECT count(*) AS all, count(*) FILTER (WHERE is_kept) AS kept,
      count(*) FILTER (WHERE is_kept AND space = ${space}) AS looked, max(id) FILTER (WHERE is_kept) AS through
    FROM (
      SELECT id, space, sum(bytes) OVER (ORDER BY id) - bytes < ${BYTES} AS is_kept FROM (
        SELECT id, space, coalesce((SELECT octet_length(traits) FROM profile_traits WHERE profile = id), 0)
          + coalesce((SELECT sum(octet_length(value)) FROM results WHERE results.profile = id), 0) AS bytes
        FROM (SELECT id, space FROM profiles WHERE id > ${after} AND ${only} ORDER BY id LIMIT ${most}) AS taken) AS measured) AS summed`)
  const { all, kept, looked, through } = row!
  if (through === null) return undefined
  return { through, isEnd: kept === all && all < most, looked }
}
