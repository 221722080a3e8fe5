import { type Attempt, type Delivery, type DeliveryPart, PART_STATES } from '@hookline/protocol'
import type { LaneId } from '../deliveries.ts'
import type { UnreadableRecord } from '../quarantine.ts'
import { isTime, parsedJson } from './rows.ts'
import { rawSql, sql } from './sql.ts'
import type { Tx } from './store.ts'

export type QueueName = 'deliveries' | 'notices'

export interface QueueLane extends LaneId {
  readonly queue: QueueName
}

export interface NumberedLanes {
  numberOf(queue: QueueName, lane: LaneId): number | undefined
  laneOf(number: number): QueueLane | undefined
  /** Reads the lanes with these numbers, so that `laneOf` returns them. */
  load(numbers: Iterable<number>): Promise<void>
}

/** A part as stored: with its lane instead of the URL, and a short name for the last attempt. */
type StoredPart = Omit<DeliveryPart, 'url' | 'lastAttempt'> & {
  readonly lane: number
  readonly last?: Omit<NonNullable<DeliveryPart['lastAttempt']>, 'url'>
}

type StoredAttempt = Omit<Attempt, 'url'> & { readonly lane: number }

function isUnfinished({ state }: Pick<DeliveryPart, 'state'>): boolean {
  return state === 'pending' || state === 'held'
}

export function hasUnfinished({ webhooks }: Pick<Delivery, 'webhooks'>): boolean {
  return webhooks.some(isUnfinished)
}

const UNKNOWN_URL = ''
const LANE = /"lane":(\d+)/g

/**
 * Reads and writes the columns of a queue that contain webhooks: JSON with lanes instead of URLs.
 */
export class StoredParts {
  readonly #queue: QueueName
  readonly #lanes: NumberedLanes

  constructor(queue: QueueName, lanes: NumberedLanes) {
    this.#queue = queue
    this.#lanes = lanes
  }

  /**
   * Returns the claimed delivery, or an `UnreadableRecord` if no unfinished part belongs to the lane. An ended part of a removed webhook
   * may have the same URL.
   */
  claimedIn<C extends { readonly delivery: Delivery }>(
    lane: number,
    read: C | UnreadableRecord,
  ): C | UnreadableRecord {
    if ('reason' in read || lane === UNSPLIT_LANES[this.#queue]) return read
    const { id, destinationId, webhooks } = read.delivery
    const of = this.#lanes.laneOf(lane)
    const isUnfinishedPart = webhooks.some((part) => part.url === of?.url && isUnfinished(part))
    if (destinationId === of?.destinationId && isUnfinishedPart) return read
    return {
      id,
      reason:
        'The delivery is queued for a webhook but has no part for it: the database is corrupted.',
    }
  }

  /** Reads the lanes in these columns. Call it before the columns are read. */
  async load(columns: Iterable<unknown>): Promise<void> {
    const numbers = new Set<number>()
    for (const column of columns)
      if (typeof column === 'string')
        for (const [, number] of column.matchAll(LANE)) numbers.add(Number(number))
    await this.#lanes.load(numbers)
  }

  laneOf(destinationId: string, url: string): number {
    const number = this.#lanes.numberOf(this.#queue, { destinationId, url })
    if (number === undefined) throw new Error(`A lane of ${destinationId} has no number.`)
    return number
  }

  textOf({ destinationId, webhooks }: Delivery): string {
    const parts = webhooks.map(({ url, lastAttempt, ...part }): StoredPart => {
      const lane = this.laneOf(destinationId, url)
      if (lastAttempt === undefined) return { lane, ...part }
      const { url: _url, ...last } = lastAttempt
      return { lane, ...part, last: withStorableError(last) }
    })
    return storedJson(parts)
  }

  /** The parts in a column `webhooks`; `undefined` if it is unreadable. */
  partsIn(column: unknown): readonly DeliveryPart[] | undefined {
    return storedPartsIn(column)?.map(({ lane, last, ...part }) => {
      const url = this.#urlOf(lane)
      return { url, ...part, ...(last && { lastAttempt: { url, ...last } }) }
    })
  }

  attemptText(destinationId: string, { url, ...attempt }: Attempt): string {
    const lane = this.laneOf(destinationId, url)
    return storedJson({ lane, ...withStorableError(attempt) } satisfies StoredAttempt)
  }

  /** The attempt in a column `document`; `undefined` if it is unreadable. */
  attemptIn(column: unknown): Attempt | undefined {
    const stored: unknown = parsedJson(column)
    if (!isStarted(stored)) return undefined
    const { lane, ...attempt } = stored
    return { url: this.#urlOf(lane), ...attempt }
  }

  #urlOf(lane: number): string {
    return this.#lanes.laneOf(lane)?.url ?? UNKNOWN_URL
  }
}

/** The stored parts in a column `webhooks`; `undefined` if it is unreadable. */
export function storedPartsIn(column: unknown): readonly StoredPart[] | undefined {
  const stored: unknown = parsedJson(column)
  return Array.isArray(stored) && stored.every(isPart) ? (stored as StoredPart[]) : undefined
}

/**
 * The attempt with an error text that PostgreSQL can read: PostgreSQL's JSON refuses U+0000 and lone surrogates, and a `Tx` reads
 * U+F8FF as an escape character.
 */
function withStorableError<A extends { readonly error?: string }>(attempt: A): A {
  const { error } = attempt
  if (error === undefined) return attempt
  return { ...attempt, error: error.toWellFormed().replaceAll(/[\0\uF8FF]/g, '\uFFFD') }
}

/** JSON without U+F8FF, which a PostgreSQL `Tx` uses to escape U+0000: other statements also read these columns. */
export function storedJson(value: unknown): string {
  return JSON.stringify(value).replaceAll('\uF8FF', '\\uf8ff')
}

const STATES: ReadonlySet<unknown> = new Set(PART_STATES)

/** Whether a value is a part with a known state and valid times: corrupt text may be other valid JSON. */
function isPart(part: unknown): boolean {
  if (typeof part !== 'object' || part === null) return false
  const { state, firstDueAt, dueAt, last } = part as Partial<StoredPart>
  const isWaitShown = isTime(firstDueAt) && (dueAt === null || isTime(dueAt))
  return STATES.has(state) && isWaitShown && (last === undefined || isStarted(last))
}

function isStarted(attempt: unknown): attempt is StoredAttempt {
  return isTime((attempt as Partial<StoredAttempt> | null | undefined)?.startedAt)
}

/** The lane numbers of deliveries without parts. */
export const UNSPLIT_LANES: Readonly<Record<QueueName, number>> = { deliveries: 0, notices: -1 }

/**
 * Queues deliveries that have no parts yet, and ends their claims. On SQLite, triggers have already
 * queued them.
 */
export async function queueWithoutParts(tx: Tx, queue: QueueName, ids: readonly string[]) {
  await tx.run(sql`DELETE FROM waiting_parts WHERE delivery_id ${tx.dialect.among(ids)}`)
  await tx.run(sql`
    INSERT INTO waiting_parts (queue, lane, delivery_id, due_at)
    SELECT ${queue}, ${UNSPLIT_LANES[queue]}, id, due_at FROM ${rawSql(queue)}
    WHERE id ${tx.dialect.among(ids)}`)
}
