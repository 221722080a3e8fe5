import type { DeliveryState } from '@hookline/protocol'
import { sql } from 'kysely'
import type { AuditEntry } from '../../audit.ts'
import type { Page, PageRequest } from '../../page.ts'
import type { Replay, Replays, ReplaySelection, ReplaySlice, ReplayStep } from '../../replays.ts'
import type { AuditWriter } from '../postgres/postgres-store.ts'
import { requeueDeliveries } from '../deliveries/queue/requeue-deliveries.ts'
import type { Postgres } from '../postgres/postgres.ts'
import { pageOf } from '../../store/rows.ts'
import { replaySlice } from './replay-scan.ts'

/** A replay without what has columns. */
interface Document extends Pick<Replay, 'ratePerSecond'> {
  readonly selection: Omit<ReplaySelection, 'text'>
}

interface ReplayRow {
  readonly id: string
  readonly state: Replay['state']
  readonly created_at: number
  readonly finished_at: number | null
  readonly scanned: number
  readonly requeued: number
  readonly delivered: number
  readonly failed: number
  readonly reached_at: number | null
  readonly cursor: string | null
  readonly document: string
  readonly search_text: string | null
}

const ENDED: readonly DeliveryState[] = ['delivered', 'rejected', 'expired', 'quarantined']

const SELECT = sql<ReplayRow>`SELECT replays.*, ends.delivered, ends.failed FROM replays
  CROSS JOIN LATERAL (
    SELECT COALESCE(sum(delivered), 0)::bigint AS delivered, COALESCE(sum(failed), 0)::bigint AS failed
    FROM replay_ends WHERE replay_id = replays.id) AS ends`

/** Replays on the tables `replays` and `replay_ends`. */
export class PostgresReplays implements Replays {
  readonly #postgres: Postgres
  readonly #writeAudit: AuditWriter

  constructor(postgres: Postgres, writeAudit: AuditWriter) {
    this.#postgres = postgres
    this.#writeAudit = writeAudit
  }

  async create(
    { id, createdAt, selection, ratePerSecond }: Replay,
    audit?: AuditEntry,
  ): Promise<void> {
    const { text, ...kept } = selection
    const document = JSON.stringify({ selection: kept, ratePerSecond } satisfies Document)
    const searchText = text === undefined ? null : JSON.stringify(text)
    await this.#postgres.write(async (transaction) => {
      await sql`INSERT INTO replays (id, state, created_at, document, search_text)
        VALUES (${id}, 'queued', ${createdAt}, ${document}, ${searchText})`.execute(transaction)
      await this.#writeAudit(transaction, audit)
    })
  }

  async find(id: string): Promise<Replay | undefined> {
    const [row] = await this.#postgres.run(sql<ReplayRow>`${SELECT} WHERE id = ${id}`)
    return row && replayOf(row)
  }

  async list(
    { isOpen }: { readonly isOpen?: true },
    { limit, cursor = '~' }: PageRequest,
  ): Promise<Page<Replay>> {
    const rows = await this.#postgres.run(sql<ReplayRow>`
      ${SELECT} WHERE id < ${cursor} AND ${isOpen ? sql`finished_at IS NULL` : sql`TRUE`}
      ORDER BY id DESC LIMIT ${limit + 1}`)
    return pageOf(rows, { limit, cursorOf: (row) => row.id }, replayOf)
  }

  cancel(id: string, now: number, audit?: AuditEntry): Promise<void> {
    return this.#postgres.write(async (transaction) => {
      await sql`UPDATE replays SET state = 'cancelled', finished_at = ${now}
        WHERE id = ${id} AND finished_at IS NULL`.execute(transaction)
      await this.#writeAudit(transaction, audit)
    })
  }

  select(
    selection: ReplaySelection,
    options: { readonly cursor: string | null; readonly scan: number; readonly limit: number },
  ): Promise<ReplaySlice> {
    return this.#postgres.read((db) => replaySlice(db, selection, options))
  }

  async advance(replay: Replay, step: ReplayStep): Promise<Replay | undefined> {
    return (await this.#take(replay, step)) ? this.find(replay.id) : undefined
  }

  retry(id: string, now: number, audit?: AuditEntry): Promise<boolean> {
    return this.#postgres.write(async (transaction) => {
      const { rows } = await sql<{ readonly event_id: string; readonly destination_id: string }>`
        SELECT event_id, destination_id FROM deliveries WHERE id = ${id}`.execute(transaction)
      if (rows[0] === undefined) return false
      const requeued = await requeueDeliveries(transaction, {
        deliveries: [{ id, eventId: rows[0].event_id }],
        destinationId: rows[0].destination_id,
        states: [...ENDED, 'pending'],
        now,
        replayId: null,
      })
      if (requeued > 0) await this.#writeAudit(transaction, audit)
      return requeued > 0
    })
  }

  /** Returns whether the step was taken. */
  #take(
    { id, selection, cursor: fromCursor }: Replay,
    { deliveries, scanned, reachedAt, cursor, now }: ReplayStep,
  ): Promise<boolean> {
    return this.#postgres.write(async (transaction) => {
      const { rows } = await sql`SELECT 1 FROM replays
        WHERE id = ${id} AND finished_at IS NULL AND cursor IS NOT DISTINCT FROM ${fromCursor}::text FOR UPDATE`.execute(
        transaction,
      )
      if (rows.length === 0) return false
      const { destinationId } = selection
      const change = { deliveries, destinationId, states: ENDED, now, replayId: id }
      const requeued = await requeueDeliveries(transaction, change)
      const [state, finishedAt] = cursor === null ? ['finished', now] : ['running', null]
      await sql`UPDATE replays SET state = ${state}, finished_at = ${finishedAt}::bigint, scanned = scanned + ${scanned},
        requeued = requeued + ${requeued}, reached_at = COALESCE(${reachedAt}::bigint, reached_at), cursor = ${cursor}::text
        WHERE id = ${id}`.execute(transaction)
      return true
    })
  }
}

function replayOf(row: ReplayRow): Replay {
  const { selection, ratePerSecond } = JSON.parse(row.document) as Document
  const text = row.search_text === null ? {} : { text: JSON.parse(row.search_text) as string }
  return {
    id: row.id,
    selection: { ...selection, ...text },
    ratePerSecond,
    state: row.state,
    createdAt: row.created_at,
    finishedAt: row.finished_at,
    scanned: row.scanned,
    requeued: row.requeued,
    delivered: row.delivered,
    failed: row.failed,
    reachedAt: row.reached_at,
    cursor: row.cursor,
  }
}
