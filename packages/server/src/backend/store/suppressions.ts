import type { Clock } from '../../util/time/clock.ts'
import { TimeSlices } from '../../util/time/time-slices.ts'
import { SharedRefresh } from '../../util/workers/shared-refresh.ts'
import type {
  SuppressedCalls,
  Subject,
  Suppression,
  SuppressionRecord,
  Suppressions,
} from '../deletions.ts'
import { numberIn } from '../page.ts'
import { conditionsOf, pageOf, timeOf, timeOrNull } from './rows.ts'
import { sql } from './sql.ts'
import type { Store, Tx } from './store.ts'

/** The `source_id` of a suppression or purge that covers every source. */
export const EVERY_SOURCE = ''
/** The number of rows that one statement reads in a few milliseconds. */
const BATCH_ROWS = 5_000
const ENDED_RETENTION_MS = 24 * 60 * 60 * 1000
/** A node that has read nothing for this long may have missed the end of a suppression, so it reads everything again. */
const STALE_MS = ENDED_RETENTION_MS / 2
const MAX_REMOVED = 1_000

interface SuppressionRow extends SuppressionRecord {
  readonly seq: number
}

const COLUMNS = sql`seq, kind, user_id AS id, nullif(source_id, ${EVERY_SOURCE}) AS "sourceId", since,
  deletion_id AS "deletionId", dropped_calls AS "droppedCalls", last_dropped_at AS "lastDroppedAt"`

interface SuppressionChange extends Subject {
  readonly seq: number
  /** `null`: all suppressions of the user have ended. */
  readonly sourceId: string | null
}

type Sources = Readonly<Record<Subject['kind'], Map<string, Set<string>>>>

/**
 * Suppressions in their table, and also in memory (about 200 bytes per user), because every call
 * looks up its user.
 */
export async function openSuppressions(store: Store, clock: Clock): Promise<Suppressions> {
  const memory = new SuppressedUsers(store, clock)
  await memory.read()
  const refreshes = new SharedRefresh(() => memory.read())
  store.follow('suppressions', () => refreshes.run())
  const changes = 'suppressions'
  const spread = async (): Promise<void> => {
    await refreshes.run()
    await store.spread(changes)
  }
  return {
    has: (sourceId, kind, id) => memory.has(sourceId, kind, id),
    countSuppressed: (calls) => store.write(countSuppressed, calls, { maxWaitMs: 20 }),

    async add(suppressions) {
      await store.write(addSuppressions, suppressions, { changes })
      await spread()
    },

    async remove({ kind, id }, audit) {
      const ended = { kind, id, at: clock.wall() }
      const existed = await store.write(endSuppressions, ended, { audit, changes })
      await spread()
      return existed
    },

    async find(user, limit) {
      const rows = await store.lookUp(sql<SuppressionRow & { readonly count: number }>`
        SELECT ${COLUMNS}, count(*) OVER () AS count FROM suppressions
        WHERE user_id = ${user.id} AND kind = ${user.kind} ORDER BY seq DESC LIMIT ${limit}`)
      return { data: rows.map(recordOf), count: rows[0]?.count ?? 0 }
    },

    async list({ user }, { limit, cursor }) {
      const rows = await store.lookUp(sql<SuppressionRow>`
        SELECT ${COLUMNS} FROM suppressions WHERE seq < ${cursor === undefined ? Number.MAX_SAFE_INTEGER : numberIn(cursor)}
          ${conditionsOf({ user_id: user?.id, kind: user?.kind })}
        ORDER BY seq DESC LIMIT ${limit + 1}`)
      return pageOf(rows, { limit, cursorOf: ({ seq }) => String(seq) }, recordOf)
    },
  }
}

class SuppressedUsers {
  readonly #store: Store
  readonly #clock: Clock
  #sources = noSources()
  #reached = 0
  #readAt = -Infinity

  constructor(store: Store, clock: Clock) {
    this.#store = store
    this.#clock = clock
  }

  has(sourceId: string, kind: Subject['kind'], id: string): boolean {
    const sources = this.#sources[kind].get(id)
    return sources !== undefined && (sources.has(EVERY_SOURCE) || sources.has(sourceId))
  }

  async read(): Promise<void> {
    const readAt = this.#clock.now()
    const isStale = readAt - this.#readAt > STALE_MS
    const sources = isStale ? noSources() : this.#sources
    const slices = new TimeSlices(this.#clock)
    let reached = isStale ? 0 : this.#reached
    for (let count = BATCH_ROWS; count === BATCH_ROWS;) {
      await slices.yieldIfOver()
      const changes = await this.#changesAfter(reached)
      for (const change of changes) apply(sources, change)
      count = changes.length
      reached = changes.at(-1)?.seq ?? reached
    }
    this.#sources = sources
    this.#reached = reached
    this.#readAt = readAt
  }

  /** One statement, for a consistent view of both tables: later changes have greater numbers. */
  #changesAfter(seq: number): Promise<SuppressionChange[]> {
    const page = sql`WHERE seq > ${seq} ORDER BY seq LIMIT ${BATCH_ROWS}`
    return this.#store.lookUp(sql<SuppressionChange>`
      SELECT * FROM (SELECT seq, kind, user_id AS id, source_id AS "sourceId" FROM suppressions ${page}) AS added
      UNION ALL SELECT seq, kind, user_id, NULL FROM (SELECT * FROM ended_suppressions ${page}) AS ended
      ORDER BY seq LIMIT ${BATCH_ROWS}`)
  }
}

function noSources(): Sources {
  return { user: new Map(), anonymous: new Map() }
}

function apply(all: Sources, { kind, id, sourceId }: SuppressionChange): void {
  if (sourceId === null) return void all[kind].delete(id)
  const sources = all[kind].get(id) ?? new Set()
  all[kind].set(id, sources.add(sourceId))
}

function recordOf({
  kind,
  id,
  sourceId,
  deletionId,
  droppedCalls,
  ...row
}: SuppressionRow): SuppressionRecord {
  const [since, lastDroppedAt] = [timeOf(row.since), timeOrNull(row.lastDroppedAt)]
  return { kind, id, sourceId, since, deletionId, droppedCalls, lastDroppedAt }
}

export async function addSuppressions(tx: Tx, suppressions: readonly Suppression[]): Promise<void> {
  const keyOf = ({ kind, id, sourceId }: Suppression): string =>
    JSON.stringify([kind, id, sourceId])
  const unique = [...new Map(suppressions.map((one) => [keyOf(one), one])).values()]
  const rows = unique.map((one, place) => ({
    ...one,
    place,
    sourceId: one.sourceId ?? EVERY_SOURCE,
  }))
  const input = tx.dialect.rows(rows, {
    text: ['kind', 'id', 'sourceId', 'deletionId'],
    number: ['place', 'since'],
  })
  await tx.run(sql`
    INSERT INTO suppressions (seq, kind, user_id, source_id, since, deletion_id)
    SELECT ${await lastChange(tx)} + row_number() OVER (ORDER BY place), kind, id, source_id, since, deletion_id
    FROM ${input}
    WHERE NOT EXISTS (SELECT 1 FROM suppressions AS known WHERE known.user_id = input.id
      AND known.kind = input.kind AND known.source_id = input.source_id)`)
}

export async function endSuppressions(
  tx: Tx,
  { kind, id, at }: Subject & { readonly at: number },
): Promise<boolean> {
  const last = await lastChange(tx)
  const removed = await tx.run(
    sql`DELETE FROM suppressions WHERE user_id = ${id} AND kind = ${kind}`,
  )
  if (removed === 0) return false
  await tx.run(sql`INSERT INTO ended_suppressions (seq, kind, user_id, ended_at)
    VALUES (${last + 1}, ${kind}, ${id}, ${at})`)
  await tx.run(sql`DELETE FROM ended_suppressions WHERE seq IN (
    SELECT seq FROM ended_suppressions WHERE ended_at < ${at - ENDED_RETENTION_MS} ORDER BY seq LIMIT ${MAX_REMOVED})`)
  return true
}

/** The number of the last change. It never decreases: the end of a suppression has a greater number than the removed rows. */
async function lastChange(tx: Tx): Promise<number> {
  const [row] = await tx.all(sql<{ readonly seq: number }>`
    SELECT coalesce(max(seq), 0) AS seq FROM (
      SELECT max(seq) AS seq FROM suppressions UNION ALL SELECT max(seq) FROM ended_suppressions) AS numbers`)
  return row!.seq
}

export async function countSuppressed(
  tx: Tx,
  { sourceId, users, at }: SuppressedCalls,
): Promise<void> {
  const input = tx.dialect.rows(users, { text: ['kind', 'id'], number: ['calls'] })
  await tx.run(sql`
    UPDATE suppressions SET dropped_calls = dropped_calls + input.calls, last_dropped_at = ${at}
    FROM ${input}
    WHERE suppressions.user_id = input.id AND suppressions.kind = input.kind
      AND source_id IN (${sourceId}, ${EVERY_SOURCE})`)
}
