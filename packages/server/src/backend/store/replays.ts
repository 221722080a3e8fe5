import type { DeliveryState } from '@hookline/protocol'
import type { Replay, Replays, ReplaySelection, ReplayStep } from '../replays.ts'
import { replaySlice } from './replay-scan.ts'
import { pageOf, timeOf, timeOrNull } from './rows.ts'
import { sql } from './sql.ts'
import type { Store, Tx } from './store.ts'
import { storedJson, storedPartsIn, queueWithoutParts } from './stored-parts.ts'

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

/** Replays in the table `replays`. Ended deliveries are counted in `replay_ends`. */
export function storedReplays(store: Store): Replays {
  const find = async (id: string): Promise<Replay | undefined> => {
    const [row] = await store.lookUp(sql<Row>`${SELECT} WHERE id = ${id}`)
    return row && replayOf(row)
  }
  return {
    find,
    create: (replay, audit) => store.write(createReplay, replay, { audit }),
    cancel: (id, now, audit) => store.write(cancelReplay, { id, now }, { audit }),
    retry: (id, now, audit) => store.write(retryDelivery, { id, now }, { audit }),
    select: (selection, scan) => replaySlice(store, selection, scan),

    async list({ isOpen }, { limit, cursor = '~' }) {
      const rows = await store.lookUp(sql<Row>`
        ${SELECT} WHERE id < ${cursor} ${isOpen ? sql`AND finished_at IS NULL` : sql``}
        ORDER BY id DESC LIMIT ${limit + 1}`)
      return pageOf(rows, { limit, cursorOf: ({ id }) => id }, replayOf)
    },

    async advance(replay, step) {
      const isAdvanced = await store.write(advanceReplay, { replay, step })
      return isAdvanced ? find(replay.id) : undefined
    },
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

const ENDED: readonly DeliveryState[] = [
  'delivered',
  'declined',
  'rejected',
  'expired',
  'quarantined',
]

export async function advanceReplay(
  tx: Tx,
  {
    replay: { id, selection, cursor: before },
    step: { deliveries, scanned, reachedAt, cursor, now },
  }: { readonly replay: Replay; readonly step: ReplayStep },
): Promise<boolean> {
  const matching = await tx.all(sql`
    SELECT 1 FROM replays WHERE id = ${id} AND finished_at IS NULL AND cursor IS NOT DISTINCT FROM ${before}
    ${tx.dialect.forUpdate}`)
  if (matching.length === 0) return false
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

interface Requeuing {
  readonly deliveries: readonly { readonly id: string; readonly eventId: string }[]
  readonly destinationId: string
  readonly states: readonly DeliveryState[]
  readonly now: number
  readonly replayId: string | null
}

interface EndedRow {
  readonly id: string
  readonly state: DeliveryState
  readonly webhooks: string
}

/**
 * Makes deliveries of archived events pending, if they are new or in one of `states`. Resolves to
 * the number of deliveries made pending.
 */
async function requeueDeliveries(
  tx: Tx,
  { deliveries, destinationId, states, now, replayId }: Requeuing,
): Promise<number> {
  const { dialect } = tx
  const eventIds = deliveries.map(({ eventId }) => eventId)
  // Events first, in the order of purges, and locked, so that a purge finds the new deliveries.
  const archived = await tx.all(sql<{ readonly id: string }>`
    SELECT id FROM events WHERE id ${dialect.among(eventIds)} ORDER BY id ${dialect.forKeyShare}`)
  const archivedIds = new Set(archived.map(({ id }) => id))
  const existing = deliveries.filter(({ eventId }) => archivedIds.has(eventId))
  const ids = existing.map(({ id }) => id)
  const input = dialect.rows(existing, { text: ['id', 'eventId'] })
  const created = await tx.all(sql<{ readonly id: string }>`
    INSERT INTO deliveries
      (id, event_id, destination_id, state, attempt_count, first_due_at, due_at, webhooks, replay_id, is_waiting)
    SELECT id, event_id, ${destinationId}, 'pending', 0, ${now}, ${now}, '[]', ${replayId}, true
    FROM ${input} ORDER BY id ON CONFLICT (id) DO NOTHING RETURNING id`)
  const newIds = new Set(created.map(({ id }) => id))
  const rows = await tx.all(sql<EndedRow>`
    SELECT id, state, webhooks FROM deliveries WHERE id ${dialect.among(ids)}
    ORDER BY id ${dialect.forUpdate}`)
  const ended = rows.filter(({ id, state }) => !newIds.has(id) && states.includes(state))
  // One UPDATE per distinct `webhooks` value; nearly all deliveries get an empty list.
  for (const [webhooks, alike] of Map.groupBy(ended, deliveredPartsOf))
    await tx.run(sql`
      UPDATE deliveries SET state = 'pending', attempt_count = 0, replay_id = ${replayId}, is_waiting = true, due_at = ${now},
        first_due_at = CASE WHEN first_due_at < ${now} THEN ${now} ELSE first_due_at + 1 END, webhooks = ${webhooks}
      WHERE id ${dialect.among(alike.map(({ id }) => id))}`)
  await keepLastAttempts(tx, ended)
  const pending = [...newIds, ...ended.map(({ id }) => id)]
  await queueWithoutParts(tx, 'deliveries', pending)
  await tx.run(sql`DELETE FROM quarantine WHERE id ${dialect.among(pending)}`)
  return pending.length
}

/**
 * The parts to keep: webhooks that accepted the event are not tried again, unless the delivery was
 * in the state `delivered`.
 */
function deliveredPartsOf({ state, webhooks }: EndedRow): string {
  const parts = state === 'delivered' ? [] : (storedPartsIn(webhooks) ?? [])
  return storedJson(parts.filter((part) => part.state === 'delivered'))
}

/** Stores the successful attempts that are removed from `webhooks`. */
async function keepLastAttempts(tx: Tx, rows: readonly EndedRow[]): Promise<void> {
  const attempts = rows
    .filter(({ state }) => state === 'delivered')
    .flatMap(({ id, webhooks }) =>
      (storedPartsIn(webhooks) ?? []).flatMap(({ state, lane, last }) =>
        state === 'delivered' && last !== undefined
          ? { deliveryId: id, id: last.id, document: storedJson({ lane, ...last }) }
          : [],
      ),
    )
  if (attempts.length === 0) return
  const input = tx.dialect.rows(attempts, { text: ['deliveryId', 'id', 'document'] })
  await tx.run(sql`
    INSERT INTO attempts (delivery_id, id, has_body, document)
    SELECT delivery_id, id, false, document FROM ${input} WHERE true
    ON CONFLICT (delivery_id, id) DO NOTHING`)
}
