import type { Attempt, Delivery, DeliveryPart, PartState } from '@hookline/protocol'
import { isTime, readJson } from '../database/rows.ts'
import type { QueueName, StoredLanes } from './stored-lanes.ts'
import type { PartTexts } from './write-delivery-queue.ts'

/** A part as it is stored: it names its lane in place of the URL. */
type StoredPart = Omit<DeliveryPart, 'url' | 'last'> & {
  readonly lane: number
  readonly last?: Omit<NonNullable<DeliveryPart['last']>, 'url'>
}

/** An attempt as it is stored. */
type StoredAttempt = Omit<Attempt, 'url'> & { readonly lane: number }

/** The URL of a lane that the database lacks. */
const UNKNOWN_URL = ''

/** Reads and writes the JSON columns of one queue that name webhooks. */
export class StoredParts implements PartTexts {
  readonly #queue: QueueName
  readonly #lanes: StoredLanes

  constructor(queue: QueueName, lanes: StoredLanes) {
    this.#queue = queue
    this.#lanes = lanes
  }

  textOf({ destinationId, webhooks }: Delivery): string {
    const parts = webhooks.map(({ url, last, ...part }): StoredPart => {
      const lane = this.#lanes.numberOf(this.#queue, { destinationId, url })
      if (last === undefined) return { lane, ...part }
      const { url: _url, ...kept } = last
      return { lane, ...part, last: kept }
    })
    return JSON.stringify(parts)
  }

  /** The parts in a column `webhooks`; `undefined` where it is damaged. */
  partsIn(text: unknown): readonly DeliveryPart[] | undefined {
    const stored = readJson(text)
    if (!Array.isArray(stored) || !stored.every(isPart)) return undefined
    return (stored as StoredPart[]).map(({ lane, last, ...part }) => {
      const url = this.#urlOf(lane)
      return { url, ...part, ...(last && { last: { url, ...last } }) }
    })
  }

  attemptText(destinationId: string, { url, ...attempt }: Attempt): string {
    const lane = this.#lanes.numberOf(this.#queue, { destinationId, url })
    return JSON.stringify({ lane, ...attempt } satisfies StoredAttempt)
  }

  /** The attempt in a column `document`; `undefined` where it is damaged. */
  attemptIn(text: unknown): Attempt | undefined {
    const stored = readJson(text) as StoredAttempt
    if (!isStarted(stored)) return undefined
    const { lane, ...attempt } = stored
    return { url: this.#urlOf(lane), ...attempt }
  }

  #urlOf(lane: number): string {
    return this.#lanes.laneOf(lane)?.url ?? UNKNOWN_URL
  }
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

/** Whether JSON is a part with a known state, and with times that can be shown: a changed byte may leave other JSON. */
function isPart(part: unknown): boolean {
  if (typeof part !== 'object' || part === null) return false
  const { state, firstDueAt, dueAt, last } = part as Partial<StoredPart>
  const isWaitShown = isTime(firstDueAt) && (dueAt === null || isTime(dueAt))
  const isStateKnown = state !== undefined && Object.hasOwn(STATES, state)
  return isStateKnown && isWaitShown && (last === undefined || isStarted(last))
}

/** Whether a stored attempt has the time that is shown. */
function isStarted(attempt: unknown): boolean {
  return isTime((attempt as Partial<StoredAttempt> | null | undefined)?.startedAt)
}
