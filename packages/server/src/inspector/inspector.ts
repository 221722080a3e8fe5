import { newId } from '@hookline/protocol'
import type { Catalog } from '../backend/catalog.ts'
import type {
  InsideResponse,
  ReceiverInside,
  SentRequest,
} from '../delivery/network/receiver-inside.ts'
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
} from './inspected-request.ts'
import { KeptRequests } from './kept-requests.ts'
import { signatureOf } from './signature-of.ts'

/** The status and the delay of the inspector's responses. */
export interface Answers {
  /** 200 to 599. */
  readonly status: number
  /** How long each response is delayed. */
  readonly delayMs: number
  /** How many attempts of each delivery get `status`; later ones get 200. `null`: all of them. */
  readonly failFirst: number | null
}

/** The answers of a service that has just started. */
export const FIRST_ANSWERS: Answers = { status: 200, delayMs: 0, failFirst: null }

export interface InspectorOptions {
  readonly clock: Clock
  readonly catalog: Pick<Catalog, 'current'>
  readonly logger: Logger
  /** Called for each request before the response. */
  readonly onInspected?: ((request: InspectedRequest) => void) | undefined
}

/**
 * The receiver inside the service. It keeps the last requests as they were sent, checks their signatures, and responds with
 * the configured answers. The sender reaches it without a socket, so no other program can.
 */
export class Inspector implements ReceiverInside, Pick<ActivityListener, 'recorded' | 'purged'> {
  readonly requests = new KeptRequests()
  /** The answers to requests that arrive from now on. */
  answers: Answers = FIRST_ANSWERS
  readonly #options: InspectorOptions

  constructor(options: InspectorOptions) {
    this.#options = options
  }

  receive(sent: SentRequest): InsideResponse {
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
    this.requests.belongs(delivery.id, delivery.destinationId)
  }

  purged(purge: PurgeActivity): void {
    this.requests.purge(purge, this.#options.clock.wall())
  }

  #inspected({ method, path, headers, rawHeaders, body }: SentRequest): InspectedRequest {
    const { catalog, clock } = this.#options
    const receivedAt = clock.wall()
    // A copy, because the memory of the request may be part of a larger buffer.
    const copy = Buffer.from(body)
    const text = copy.toString()
    const destinations = catalog.current.destinations.values()
    const attempt = attemptIn(headers['x-hookline-attempt'])
    const { delayMs } = this.answers
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
      response: { status: statusFor(this.answers, attempt), delayMs, isSent: false },
    }
  }
}

/** The status for the attempt with this number, which counts from 1; a request without a number counts as the first. */
function statusFor({ status, failFirst }: Answers, attempt: number | null): number {
  return failFirst === null || (attempt ?? 1) <= failFirst ? status : 200
}
