import { timeOfId } from '@hookline/protocol'
import type { PurgeActivity } from '../telemetry/activity-listener.ts'
import type { InspectedRequest } from './inspected-request.ts'

/** How many requests are kept at most, and how many bytes of them. The newest request is always kept. */
export const KEPT = { requests: 500, bytes: 16 * 1024 * 1024 } as const

export interface RequestFilter {
  readonly destinationId?: string
  readonly deliveryId?: string
}

/** How many are kept, their bytes, and how many came since the start. */
export interface KeptCounts {
  readonly kept: number
  readonly bytes: number
  readonly received: number
}

interface Kept {
  request: InspectedRequest
  /** In the order of arrival. Ids are not: the clock of the machine may be set back. */
  readonly number: number
  readonly bytes: number
}

/** The last requests, in memory. */
export class KeptRequests {
  /** By id, the oldest first. */
  readonly #kept = new Map<string, Kept>()
  /** Those whose destination is not certain, by delivery. */
  readonly #uncertain = new Map<string, Set<string>>()
  readonly #purges = new RecentPurges()
  #bytes = 0
  #received = 0

  get counts(): KeptCounts {
    return { kept: this.#kept.size, bytes: this.#bytes, received: this.#received }
  }

  /** Keeps a request, unless it names a user whose events were removed while it was on its way. */
  add(request: InspectedRequest): void {
    this.#received += 1
    const { id, deliveryId, destinationId } = request
    this.#purges.forget(request.receivedAt)
    const isOfPurged = idsOf(request).some((each) => this.#purges.has(each, bornAt(request)))
    if (isOfPurged) return
    const bytes = bytesOf(request)
    this.#kept.set(id, { request, number: this.#received, bytes })
    this.#bytes += bytes
    if (destinationId === null && deliveryId !== null) {
      const same = this.#uncertain.get(deliveryId) ?? new Set()
      this.#uncertain.set(deliveryId, same.add(id))
    }
    for (const oldest of this.#kept.keys()) {
      const isRoom = this.#kept.size <= KEPT.requests && this.#bytes <= KEPT.bytes
      if (isRoom || oldest === id) return
      this.#remove(oldest)
    }
  }

  find(id: string): InspectedRequest | undefined {
    return this.#kept.get(id)?.request
  }

  /** At most `limit` requests that match and have a lower number than `before`, the newest first. */
  newest(
    { destinationId, deliveryId }: RequestFilter,
    { limit, before = Infinity }: { readonly limit: number; readonly before?: number | undefined },
  ): readonly Pick<Kept, 'number' | 'request'>[] {
    return [...this.#kept.values()]
      .filter(
        ({ request, number }) =>
          number < before &&
          (destinationId === undefined || request.destinationId === destinationId) &&
          (deliveryId === undefined || request.deliveryId === deliveryId),
      )
      .toReversed()
      .slice(0, limit)
  }

  /** The response to the request was sent. */
  sent(id: string): void {
    const kept = this.#kept.get(id)
    if (kept === undefined) return
    kept.request = { ...kept.request, response: { ...kept.request.response, isSent: true } }
  }

  /** The delivery is recorded: this destination sent its requests. */
  belongs(deliveryId: string, destinationId: string): void {
    for (const id of this.#uncertain.get(deliveryId) ?? []) {
      const kept = this.#kept.get(id)!
      kept.request = { ...kept.request, destinationId }
    }
    this.#uncertain.delete(deliveryId)
  }

  /** Removes every request of any source that names one of the users. `now` is in milliseconds since the epoch. */
  purge({ userIds, anonymousIds }: PurgeActivity, now: number): void {
    const ids = new Set([...userIds, ...anonymousIds])
    this.#purges.add(ids, now)
    for (const [id, { request }] of this.#kept)
      if (idsOf(request).some((each) => ids.has(each))) this.#remove(id)
  }

  /** Removes all. Returns how many there were. */
  clear(): number {
    const { size } = this.#kept
    this.#kept.clear()
    this.#uncertain.clear()
    this.#bytes = 0
    return size
  }

  #remove(id: string): void {
    const { request, bytes } = this.#kept.get(id)!
    this.#kept.delete(id)
    this.#bytes -= bytes
    const same = this.#uncertain.get(request.deliveryId ?? '')
    if (same?.delete(id) && same.size === 0) this.#uncertain.delete(request.deliveryId!)
  }
}

/** The ids of the user that an event is about. A deletion notice has none here: the receiver has to act on it, so it stays. */
function idsOf({ event }: InspectedRequest): string[] {
  const { type, userId, anonymousId, previousId } = event
  if (type === 'delete') return []
  return [userId, anonymousId, previousId].filter((id) => id !== null)
}

/** When the event of a request was received: the id of a delivery begins with it. */
function bornAt({ deliveryId, receivedAt }: InspectedRequest): number {
  return deliveryId === null ? receivedAt : timeOfId(deliveryId)
}

function bytesOf({ path, headers, body, event }: InspectedRequest): number {
  const texts = [path, ...headers.flat(), ...Object.values(event)]
  return texts.reduce((sum, text) => sum + (text?.length ?? 0), body.length)
}

/** How long a removed user is remembered: longer than a request takes to reach the inspector. */
const REMEMBERED_MS = 60_000

/** The users whose events were removed in the last minute: a request of theirs may still be on its way. */
class RecentPurges {
  readonly #purges: { readonly ids: ReadonlySet<string>; readonly at: number }[] = []

  /** @param at milliseconds since the epoch */
  add(ids: ReadonlySet<string>, at: number): void {
    this.forget(at)
    this.#purges.push({ ids, at })
  }

  /** Whether an event of this user that was received at `receivedAt` is removed. */
  has(id: string, receivedAt: number): boolean {
    return this.#purges.some(({ ids, at }) => receivedAt <= at && ids.has(id))
  }

  /** Forgets purges of more than a minute ago. */
  forget(now: number): void {
    while (this.#purges.length > 0 && Math.abs(now - this.#purges[0]!.at) > REMEMBERED_MS)
      this.#purges.shift()
  }
}
