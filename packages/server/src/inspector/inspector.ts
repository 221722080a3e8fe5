import { newId, timeOfId } from '@hookline/protocol'
import type { Catalog } from '../backend/catalog.ts'
import type {
  InProcessResponse,
  InProcessReceiver,
  SentRequest,
} from '../delivery/network/in-process-receiver.ts'
import type {
  ActivityListener,
  DeliveryActivity,
  PurgeActivity,
} from '../telemetry/activity-listener.ts'
import type { Logger } from '../telemetry/logger.ts'
import type { Clock } from '../util/time/clock.ts'
import {
  attemptIn,
  deliveryIdIn,
  eventIn,
  headersOf,
  type InspectedRequest,
  signatureOf,
} from './inspected-request.ts'

/** The status and the delay of the inspector's responses. */
export interface ResponseConfig {
  /** 200 to 599. */
  readonly status: number
  /** How long each response is delayed. */
  readonly delayMs: number
  /** How many attempts in each delivery get `status`; later ones get 200. `null`: all of them. */
  readonly failFirst: number | null
}

export const DEFAULT_RESPONSES: ResponseConfig = { status: 200, delayMs: 0, failFirst: null }

export interface InspectorOptions {
  readonly clock: Clock
  readonly catalog: Pick<Catalog, 'current'>
  readonly logger: Logger
  /** Called for each request before the response. */
  readonly onInspected?: ((request: InspectedRequest) => void) | undefined
}

/** The receiver inside the service, reached without a socket: keeps requests, checks signatures, and responds. */
export class Inspector implements InProcessReceiver, Pick<ActivityListener, 'recorded' | 'purged'> {
  readonly requests = new RequestStore()
  /** The configured response to future requests. */
  responses: ResponseConfig = DEFAULT_RESPONSES
  readonly #options: InspectorOptions

  constructor(options: InspectorOptions) {
    this.#options = options
  }

  receive(sent: SentRequest): InProcessResponse {
    try {
      const request = this.#inspected(sent)
      this.requests.add(request)
      this.#options.onInspected?.(request)
      return { id: request.id, ...request.response }
    } catch (error) {
      this.#options.logger.error({ err: error }, 'inspector.failed')
      throw error
    }
  }

  responded(id: string): void {
    this.requests.sent(id)
  }

  recorded({ delivery }: DeliveryActivity): void {
    this.requests.assignDestination(delivery.id, delivery.destinationId)
  }

  purged(purge: PurgeActivity): void {
    this.requests.purge(purge, this.#options.clock.wall())
  }

  #inspected({ method, path, headers, rawHeaders, body }: SentRequest): InspectedRequest {
    const { catalog, clock } = this.#options
    const receivedAt = clock.wall()
    // A copy, because the body may be part of a larger buffer.
    const copy = Buffer.from(body)
    const text = copy.toString()
    const destinations = catalog.current.destinations.values()
    const attempt = attemptIn(headers['x-hookline-attempt'])
    const { delayMs } = this.responses
    return {
      id: newId('req', receivedAt),
      receivedAt,
      method,
      path,
      headers: headersOf(rawHeaders),
      body: copy,
      event: eventIn(text),
      deliveryId: deliveryIdIn(headers['webhook-id']),
      attempt,
      ...signatureOf({ path, headers, body: text }, destinations, receivedAt),
      response: { status: statusFor(this.responses, attempt), delayMs, isSent: false },
    }
  }
}

/** The status for an attempt, by its number from 1; without a number, it counts as the first. */
function statusFor({ status, failFirst }: ResponseConfig, attempt: number | null): number {
  return failFirst === null || (attempt ?? 1) <= failFirst ? status : 200
}

/** Maximum stored requests and bytes. The newest request is always stored. */
export const MAX_STORED = { requests: 500, bytes: 16 * 1024 * 1024 } as const

/** How long a purged user is remembered: longer than a request takes to reach the inspector. */
const PURGE_TTL_MS = 60_000

export interface RequestFilter {
  readonly destinationId?: string
  readonly deliveryId?: string
}

/** `received` counts all requests since startup. */
export interface RequestCounts {
  readonly stored: number
  readonly bytes: number
  readonly received: number
}

export interface RequestPage {
  readonly limit: number
  /** Only requests with a lower id. */
  readonly before?: string | undefined
}

interface StoredRequest {
  request: InspectedRequest
  readonly bytes: number
}

/** The latest requests, in memory. */
export class RequestStore {
  /** By id, in the order of arrival. */
  readonly #stored = new Map<string, StoredRequest>()
  /** Ids of requests with an uncertain destination, by delivery. */
  readonly #uncertain = new Map<string, Set<string>>()
  /** Users purged in the last minute: a request about them may still be in flight. */
  readonly #purges: { readonly ids: ReadonlySet<string>; readonly at: number }[] = []
  #bytes = 0
  #received = 0

  get counts(): RequestCounts {
    return { stored: this.#stored.size, bytes: this.#bytes, received: this.#received }
  }

  /** Stores a request, unless its user was purged while it was in flight. */
  add(request: InspectedRequest): void {
    this.#received += 1
    const { id, deliveryId, destinationId } = request
    this.#forgetPurges(request.receivedAt)
    if (this.#isPurged(request)) return
    const bytes = bytesOf(request)
    this.#stored.set(id, { request, bytes })
    this.#bytes += bytes
    if (destinationId === null && deliveryId !== null) {
      const same = this.#uncertain.get(deliveryId) ?? new Set()
      this.#uncertain.set(deliveryId, same.add(id))
    }
    for (const oldest of this.#stored.keys()) {
      const hasRoom = this.#stored.size <= MAX_STORED.requests && this.#bytes <= MAX_STORED.bytes
      if (hasRoom || oldest === id) return
      this.#remove(oldest)
    }
  }

  find(id: string): InspectedRequest | undefined {
    return this.#stored.get(id)?.request
  }

  /** The newest matching requests, by the time in their ids. */
  newest(
    { destinationId, deliveryId }: RequestFilter,
    { limit, before }: RequestPage,
  ): readonly InspectedRequest[] {
    return [...this.#stored.values()]
      .map(({ request }) => request)
      .filter(
        (request) =>
          (before === undefined || request.id < before) &&
          (destinationId === undefined || request.destinationId === destinationId) &&
          (deliveryId === undefined || request.deliveryId === deliveryId),
      )
      .toSorted((a, b) => (a.id < b.id ? 1 : -1))
      .slice(0, limit)
  }

  sent(id: string): void {
    const stored = this.#stored.get(id)
    if (stored === undefined) return
    stored.request = { ...stored.request, response: { ...stored.request.response, isSent: true } }
  }

  /** Sets the destination of the requests in a recorded delivery. */
  assignDestination(deliveryId: string, destinationId: string): void {
    for (const id of this.#uncertain.get(deliveryId) ?? []) {
      const stored = this.#stored.get(id)!
      stored.request = { ...stored.request, destinationId }
    }
    this.#uncertain.delete(deliveryId)
  }

  /** Removes the requests about these users. `now` is in milliseconds since the epoch. */
  purge({ userIds, anonymousIds }: PurgeActivity, now: number): void {
    const ids = new Set([...userIds, ...anonymousIds])
    this.#forgetPurges(now)
    this.#purges.push({ ids, at: now })
    for (const [id, { request }] of this.#stored) if (mayContain(request, ids)) this.#remove(id)
  }

  /** Removes all requests. Returns their number. */
  clear(): number {
    const { size } = this.#stored
    this.#stored.clear()
    this.#uncertain.clear()
    this.#bytes = 0
    return size
  }

  #isPurged(request: InspectedRequest): boolean {
    const at = eventReceivedAt(request)
    return this.#purges.some((purge) => at <= purge.at && mayContain(request, purge.ids))
  }

  #forgetPurges(now: number): void {
    while (this.#purges.length > 0 && Math.abs(now - this.#purges[0]!.at) > PURGE_TTL_MS)
      this.#purges.shift()
  }

  #remove(id: string): void {
    const { request, bytes } = this.#stored.get(id)!
    this.#stored.delete(id)
    this.#bytes -= bytes
    const same = this.#uncertain.get(request.deliveryId ?? '')
    if (same?.delete(id) && same.size === 0) this.#uncertain.delete(request.deliveryId!)
  }
}

/**
 * Whether a request may contain one of these users. A deletion notice is kept: the receiver has to act on it. A body without
 * ids, such as one made by a transform, may contain them anywhere.
 */
function mayContain({ event }: InspectedRequest, users: ReadonlySet<string>): boolean {
  const { type, userId, anonymousId, previousId } = event
  if (type === 'delete') return false
  const ids = [userId, anonymousId, previousId].filter((id) => id !== null)
  return ids.length === 0 || ids.some((id) => users.has(id))
}

/** When the event in a request was received: the time in the id of its delivery. */
function eventReceivedAt({ deliveryId, receivedAt }: InspectedRequest): number {
  return deliveryId === null ? receivedAt : timeOfId(deliveryId)
}

function bytesOf({ path, headers, body, event }: InspectedRequest): number {
  const texts = [path, ...headers.flat(), ...Object.values(event)]
  return texts.reduce((sum, text) => sum + (text?.length ?? 0), body.length)
}
