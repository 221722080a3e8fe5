import type { Clock } from '../../util/time/clock.ts'
import { TimeSlices } from '../../util/time/time-slices.ts'
import { SharedRefresh } from '../../util/workers/shared-refresh.ts'
import type { AuditEntry } from '../audit.ts'
import type {
  LeftOutCalls,
  Subject,
  Suppression,
  SuppressionRecord,
  Suppressions,
} from '../deletions.ts'
import { numberIn, type Page, type PageRequest } from '../page.ts'
import { conditionsOf, pageOf, timeOf, timeOrNull } from './rows.ts'
import { sql } from './sql.ts'
import type { Store, Tx } from './store.ts'

/** The `source_id` of a suppression, or of a purge, in every source. */
export const EVERY_SOURCE = ''
/** Rows that one statement reads: a few milliseconds of work for this thread. */
const BATCH_ROWS = 5_000
/** How long `ended_suppressions` has its rows. */
const ENDED_KEPT_MS = 24 * 60 * 60 * 1000
/** A node that has read nothing for this long may have missed an end, and reads everything again. */
const STALE_MS = ENDED_KEPT_MS / 2
/** Old rows that one removal removes. */
const REMOVED = 1_000

interface Row {
  readonly seq: number
  readonly kind: Subject['kind']
  readonly user_id: string
  readonly source_id: string
  readonly since: number
  readonly deletion_id: string
  readonly calls_left_out: number
  readonly last_left_out_at: number | null
}

interface Change extends Pick<Row, 'seq' | 'kind' | 'user_id'> {
  /** `null`: every suppression of the user has ended. */
  readonly source_id: string | null
}

/** By kind and id of the user. */
type Sources = Readonly<Record<Subject['kind'], Map<string, Set<string>>>>

/**
 * Suppressions in the table `suppressions`. The users are also in memory, about 200 bytes each, because each call asks for its
 * user. The rows of `suppressions` and `ended_suppressions` share the numbers of changes: a refresh reads on from the last one.
 */
export class StoredSuppressions implements Suppressions {
  readonly #store: Store
  readonly #clock: Clock
  readonly #refreshes = new SharedRefresh(() => this.#read())
  #sources = noSources()
  /** The number of the last change that is in memory. */
  #reached = 0
  #readAt = -Infinity

  private constructor(store: Store, clock: Clock) {
    this.#store = store
    this.#clock = clock
  }

  static async open(store: Store, clock: Clock): Promise<StoredSuppressions> {
    const suppressions = new StoredSuppressions(store, clock)
    await suppressions.#read()
    store.follow('suppressions', () => suppressions.#refreshes.run())
    return suppressions
  }

  has(sourceId: string, kind: Subject['kind'], id: string): boolean {
    const sources = this.#sources[kind].get(id)
    return sources !== undefined && (sources.has(EVERY_SOURCE) || sources.has(sourceId))
  }

  async add(suppressions: readonly Suppression[]): Promise<void> {
    await this.#store.write(addSuppressions, suppressions, { changes: 'suppressions' })
    await this.#spread()
  }

  countLeftOut(calls: LeftOutCalls): Promise<void> {
    return this.#store.write(countLeftOut, calls, { canWait: true })
  }

  async remove({ kind, id }: Subject, audit?: AuditEntry): Promise<boolean> {
    const ended = { kind, id, at: this.#clock.wall() }
    const wasThere = await this.#store.write(endSuppressions, ended, {
      audit,
      changes: 'suppressions',
    })
    await this.#spread()
    return wasThere
  }

  async find(
    user: Subject,
    limit: number,
  ): Promise<{ readonly data: readonly SuppressionRecord[]; readonly count: number }> {
    const rows = await this.#store.lookUp(sql<Row & { readonly count: number }>`
      SELECT *, count(*) OVER () AS count FROM suppressions
      WHERE user_id = ${user.id} AND kind = ${user.kind} ORDER BY seq DESC LIMIT ${limit}`)
    return { data: rows.map(recordOf), count: rows[0]?.count ?? 0 }
  }

  async list(
    { user }: { readonly user?: Subject },
    { limit, cursor }: PageRequest,
  ): Promise<Page<SuppressionRecord>> {
    const rows = await this.#store.lookUp(sql<Row>`
      SELECT * FROM suppressions WHERE seq < ${cursor === undefined ? Number.MAX_SAFE_INTEGER : numberIn(cursor)}
        ${conditionsOf({ user_id: user?.id, kind: user?.kind })}
      ORDER BY seq DESC LIMIT ${limit + 1}`)
    return pageOf(rows, { limit, cursorOf: ({ seq }) => String(seq) }, recordOf)
  }

  /** Resolves when this node and the others have in memory all changes that were committed. */
  async #spread(): Promise<void> {
    await this.#refreshes.run()
    await this.#store.spread('suppressions')
  }

  async #read(): Promise<void> {
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

  /** One statement, so that both tables are of one moment: later changes have greater numbers. */
  #changesAfter(seq: number): Promise<Change[]> {
    const page = sql`WHERE seq > ${seq} ORDER BY seq LIMIT ${BATCH_ROWS}`
    return this.#store.lookUp(sql<Change>`
      SELECT * FROM (SELECT seq, kind, user_id, source_id FROM suppressions ${page}) AS added
      UNION ALL SELECT seq, kind, user_id, NULL FROM (SELECT * FROM ended_suppressions ${page}) AS ended
      ORDER BY seq LIMIT ${BATCH_ROWS}`)
  }
}

function noSources(): Sources {
  return { user: new Map(), anonymous: new Map() }
}

function apply(all: Sources, { kind, user_id: id, source_id: sourceId }: Change): void {
  if (sourceId === null) return void all[kind].delete(id)
  const sources = all[kind].get(id) ?? new Set()
  all[kind].set(id, sources.add(sourceId))
}

function recordOf(row: Row): SuppressionRecord {
  return {
    kind: row.kind,
    id: row.user_id,
    sourceId: row.source_id === EVERY_SOURCE ? null : row.source_id,
    since: timeOf(row.since),
    deletionId: row.deletion_id,
    callsLeftOut: row.calls_left_out,
    lastLeftOutAt: timeOrNull(row.last_left_out_at),
  }
}

/** Adds suppressions. One of the same user and source stays as it is. */
export async function addSuppressions(tx: Tx, suppressions: readonly Suppression[]): Promise<void> {
  const placeOf = ({ kind, id, sourceId }: Suppression): string =>
    JSON.stringify([kind, id, sourceId])
  const rows = [...new Map(suppressions.map((each) => [placeOf(each), each])).values()]
  const given = tx.dialect.given({
    place: ['number', rows.map((_, index) => index)],
    kind: ['text', rows.map(({ kind }) => kind)],
    id: ['text', rows.map(({ id }) => id)],
    source_id: ['text', rows.map(({ sourceId }) => sourceId ?? EVERY_SOURCE)],
    since: ['number', rows.map(({ since }) => since)],
    deletion_id: ['text', rows.map(({ deletionId }) => deletionId)],
  })
  await tx.run(sql`
    INSERT INTO suppressions (seq, kind, user_id, source_id, since, deletion_id)
    SELECT ${await lastChange(tx)} + row_number() OVER (ORDER BY place), kind, id, source_id, since, deletion_id
    FROM ${given}
    WHERE NOT EXISTS (SELECT 1 FROM suppressions AS known WHERE known.user_id = given.id
      AND known.kind = given.kind AND known.source_id = given.source_id)`)
}

/** Removes every suppression of a user. Resolves to whether there was one. */
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
    SELECT seq FROM ended_suppressions WHERE ended_at < ${at - ENDED_KEPT_MS} ORDER BY seq LIMIT ${REMOVED})`)
  return true
}

/** The number of the last change. It never decreases: an end has a greater number than the removed rows. */
async function lastChange(tx: Tx): Promise<number> {
  const [row] = await tx.all(sql<{ readonly seq: number }>`
    SELECT coalesce(max(seq), 0) AS seq FROM (
      SELECT max(seq) AS seq FROM suppressions UNION ALL SELECT max(seq) FROM ended_suppressions) AS numbers`)
  return row!.seq
}

/** Counts calls that were left out, on the suppressions of their users in their source. */
export async function countLeftOut(tx: Tx, { sourceId, users, at }: LeftOutCalls): Promise<void> {
  const given = tx.dialect.given({
    kind: ['text', users.map(({ kind }) => kind)],
    id: ['text', users.map(({ id }) => id)],
    calls: ['number', users.map(({ calls }) => calls)],
  })
  await tx.run(sql`
    UPDATE suppressions SET calls_left_out = calls_left_out + given.calls, last_left_out_at = ${at}
    FROM ${given}
    WHERE suppressions.user_id = given.id AND suppressions.kind = given.kind
      AND source_id IN (${sourceId}, ${EVERY_SOURCE})`)
}
