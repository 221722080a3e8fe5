import type { Attempt, Delivery, DeliveryPart, PartState } from '@hookline/protocol'
import type { RecordedDelivery } from '../../../deliveries.ts'
import { fromText, toText } from '../../postgres/text.ts'
import type { PostgresLanes, QueueName } from './postgres-lanes.ts'

/** A part as it is stored: it names its lane in place of the URL. */
export type StoredPart = Omit<DeliveryPart, 'url' | 'last'> & {
  readonly lane: number
  readonly last?: Omit<NonNullable<DeliveryPart['last']>, 'url'>
}

/** An attempt as it is stored. */
type StoredAttempt = Omit<Attempt, 'url'> & { readonly lane: number }

/** The URL of a lane that the database lacks. */
const UNKNOWN_URL = ''
const LANE = /"lane":(\d+)/g

/** Reads and writes the columns of one queue that name webhooks: JSON, with lanes in place of URLs. */
export class StoredParts {
  readonly #queue: QueueName
  readonly #lanes: PostgresLanes

  constructor(queue: QueueName, lanes: PostgresLanes) {
    this.#queue = queue
    this.#lanes = lanes
  }

  /** Before columns of these are made: gives their lanes numbers. */
  async give(records: readonly RecordedDelivery[]): Promise<void> {
    const lanes = records.flatMap(({ delivery: { destinationId, webhooks }, attempts }) =>
      [...webhooks, ...attempts].map(({ url }) => ({ destinationId, url })),
    )
    await this.#lanes.give(this.#queue, lanes)
  }

  /** Before columns are read: reads the lanes that they name. */
  async know(columns: Iterable<string>): Promise<void> {
    const numbers = new Set<number>()
    for (const text of columns)
      for (const [, number] of text.matchAll(LANE)) numbers.add(Number(number))
    await this.#lanes.know(numbers)
  }

  laneOf(destinationId: string, url: string): number {
    const number = this.#lanes.numberOf(this.#queue, { destinationId, url })
    if (number === undefined) throw new Error(`A lane of ${destinationId} has no number.`)
    return number
  }

  /** The column `webhooks` of a delivery. */
  textOf({ destinationId, webhooks }: Delivery): string {
    const parts = webhooks.map(({ url, last, ...part }): StoredPart => {
      const lane = this.laneOf(destinationId, url)
      if (last === undefined) return { lane, ...part }
      const { url: _url, ...kept } = last
      return { lane, ...part, last: withError(kept, storedError) }
    })
    return JSON.stringify(parts)
  }

  /** The parts in a column `webhooks`; `undefined` where it cannot be read. */
  partsIn(column: string): readonly DeliveryPart[] | undefined {
    return storedPartsIn(column)?.map(({ lane, last, ...part }) => {
      const url = this.#urlOf(lane)
      return { url, ...part, ...(last && { last: { url, ...withError(last, fromText) } }) }
    })
  }

  /** A column `document` of `attempts`. */
  attemptText(destinationId: string, { url, ...attempt }: Attempt): string {
    const lane = this.laneOf(destinationId, url)
    return JSON.stringify({ lane, ...withError(attempt, storedError) } satisfies StoredAttempt)
  }

  /** The attempt in a column `document`; `undefined` where it cannot be read. */
  attemptIn(column: string): Attempt | undefined {
    const stored = jsonIn(column) as StoredAttempt | null | undefined
    if (typeof stored?.startedAt !== 'number') return undefined
    const { lane, ...attempt } = stored
    return { url: this.#urlOf(lane), ...withError(attempt, fromText) }
  }

  #urlOf(lane: number): string {
    return this.#lanes.laneOf(lane)?.url ?? UNKNOWN_URL
  }
}

/** The parts in a column `webhooks`, as they are stored; `undefined` where it cannot be read. */
export function storedPartsIn(column: string): readonly StoredPart[] | undefined {
  const stored = jsonIn(column)
  return Array.isArray(stored) && stored.every(isPart) ? (stored as StoredPart[]) : undefined
}

/** Conditions read the errors in `webhooks` as JSON of PostgreSQL, which refuses U+0000 and lone surrogates. */
export function storedError(error: string): string {
  return toText(error.toWellFormed())
}

function withError<A extends { readonly error?: string }>(
  attempt: A,
  change: (error: string) => string,
): A {
  return attempt.error === undefined ? attempt : { ...attempt, error: change(attempt.error) }
}

const STATES: Readonly<Record<PartState, true>> = {
  pending: true,
  held: true,
  delivered: true,
  rejected: true,
  expired: true,
  not_retried: true,
  removed: true,
}

/** Whether JSON is a part that can be shown. */
function isPart(part: unknown): boolean {
  if (typeof part !== 'object' || part === null) return false
  const { state, firstDueAt, dueAt, last } = part as Partial<StoredPart>
  const isWaitShown =
    typeof firstDueAt === 'number' && (dueAt === null || typeof dueAt === 'number')
  const isStateKnown = state !== undefined && Object.hasOwn(STATES, state)
  return isStateKnown && isWaitShown && (last === undefined || typeof last.startedAt === 'number')
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}
