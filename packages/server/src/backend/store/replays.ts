import type { DeliveryState } from '@hookline/protocol'
import type { AuditEntry } from '../audit.ts'
import type { Page, PageRequest } from '../page.ts'
import type { Replay, Replays, ReplaySelection, ReplaySlice, ReplayStep } from '../replays.ts'
import { type ReplayScan, replaySlice } from './replay-scan.ts'
import { requeueDeliveries } from './requeue.ts'
import { pageOf, timeOf, timeOrNull } from './rows.ts'
import { sql } from './sql.ts'
import type { Store, Tx } from './store.ts'

/** The part of a replay that has no columns. */
interface Document extends Pick<Replay, 'ratePerSecond'> {
  readonly selection: Omit<ReplaySelection, 'text'>
}

interface Row extends Omit<Replay, 'selection' | 'ratePerSecond'> {
  readonly document: string
  readonly searchText: string | null
}

const SELECT = sql<Row>`SELECT id, state, created_at AS "createdAt", finished_at AS "finishedAt", scanned, requeued,
    CAST((SELECT coalesce(sum(delivered), 0) FROM replay_ends WHERE replay_id = replays.id) AS bigint) AS delivered,
    CAST((SELECT coalesce(sum(failed), 0) FROM replay_ends WHERE replay_id = replays.id) AS bigint) AS failed,
    reached_at AS "reachedAt", cursor, document, search_text AS "searchText"
  FROM replays`

/** Replays in the table `replays`. Deliveries that end are counted in `replay_ends`. */
export class StoredReplays implements Replays {
  readonly #store: Store

  constructor(store: Store) {
    this.#store = store
  }

  create(replay: Replay, audit?: AuditEntry): Promise<void> {
    return this.#store.write(createReplay, replay, { audit })
  }

  async find(id: string): Promise<Replay | undefined> {
    const [row] = await this.#store.lookUp(sql<Row>`${SELECT} WHERE id = ${id}`)
    return row && replayOf(row)
  }

  async list(
    { isOpen }: { readonly isOpen?: true },
    { limit, cursor = '~' }: PageRequest,
  ): Promise<Page<Replay>> {
    const rows = await this.#store.lookUp(sql<Row>`
      ${SELECT} WHERE id < ${cursor} ${isOpen ? sql`AND finished_at IS NULL` : sql``}
      ORDER BY id DESC LIMIT ${limit + 1}`)
    return pageOf(rows, { limit, cursorOf: ({ id }) => id }, replayOf)
  }

  cancel(id: string, now: number, audit?: AuditEntry): Promise<void> {
    return this.#store.write(cancelReplay, { id, now }, { audit })
  }

  select(selection: ReplaySelection, scan: ReplayScan): Promise<ReplaySlice> {
    return replaySlice(this.#store, selection, scan)
  }

  async advance(replay: Replay, step: ReplayStep): Promise<Replay | undefined> {
    const isTaken = await this.#store.write(advanceReplay, { replay, step })
    return isTaken ? this.find(replay.id) : undefined
  }

  retry(id: string, now: number, audit?: AuditEntry): Promise<boolean> {
    return this.#store.write(retryDelivery, { id, now }, { audit })
  }
}

function replayOf({ document, searchText, ...row }: Row): Replay {
  const { selection, ratePerSecond } = JSON.parse(document) as Document
  const text = searchText === null ? {} : { text: JSON.parse(searchText) as string }
  return {
    ...row,
    selection: { ...selection, ...text },
    ratePerSecond,
    createdAt: timeOf(row.createdAt),
    finishedAt: timeOrNull(row.finishedAt),
    reachedAt: timeOrNull(row.reachedAt),
  }
}

export async function createReplay(
  tx: Tx,
  { id, createdAt, selection: { text, ...selection }, ratePerSecond }: Replay,
): Promise<void> {
  const document = JSON.stringify({ selection, ratePerSecond } satisfies Document)
  await tx.run(sql`
    INSERT INTO replays (id, state, created_at, document, search_text)
    VALUES (${id}, 'queued', ${createdAt}, ${document}, ${text === undefined ? null : JSON.stringify(text)})`)
}

export async function cancelReplay(
  tx: Tx,
  { id, now }: { readonly id: string; readonly now: number },
): Promise<void> {
  await tx.run(sql`
    UPDATE replays SET state = 'cancelled', finished_at = ${now} WHERE id = ${id} AND finished_at IS NULL`)
}

const ENDED: readonly DeliveryState[] = ['delivered', 'rejected', 'expired', 'quarantined']

/** Resolves to whether the step was taken. */
export async function advanceReplay(
  tx: Tx,
  {
    replay: { id, selection, cursor: before },
    step: { deliveries, scanned, reachedAt, cursor, now },
  }: { readonly replay: Replay; readonly step: ReplayStep },
): Promise<boolean> {
  const isThere = await tx.all(sql`
    SELECT 1 FROM replays WHERE id = ${id} AND finished_at IS NULL AND cursor IS NOT DISTINCT FROM ${before}
    ${tx.dialect.forUpdate}`)
  if (isThere.length === 0) return false
  const { destinationId } = selection
  const change = { deliveries, destinationId, states: ENDED, now, replayId: id }
  const requeued = await requeueDeliveries(tx, change)
  const [state, finishedAt] = cursor === null ? ['finished', now] : ['running', null]
  await tx.run(sql`
    UPDATE replays SET state = ${state}, finished_at = ${finishedAt}, scanned = scanned + ${scanned},
      requeued = requeued + ${requeued}, reached_at = coalesce(${reachedAt}, reached_at), cursor = ${cursor}
    WHERE id = ${id}`)
  return true
}

/** Resolves to whether the delivery is pending now. */
export async function retryDelivery(
  tx: Tx,
  { id, now }: { readonly id: string; readonly now: number },
): Promise<boolean> {
  const [row] = await tx.all(sql<{ readonly event_id: string; readonly destination_id: string }>`
    SELECT event_id, destination_id FROM deliveries WHERE id = ${id}`)
  if (row === undefined) return false
  const requeued = await requeueDeliveries(tx, {
    deliveries: [{ id, eventId: row.event_id }],
    destinationId: row.destination_id,
    states: [...ENDED, 'pending'],
    now,
    replayId: null,
  })
  return requeued > 0
}
