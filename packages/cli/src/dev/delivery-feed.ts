import { setTimeout as pause } from 'node:timers/promises'
import type { Delivery, Event } from '../api/generated/management-client.ts'
import type { ManagementApi } from '../api/management-api.ts'

const POLL_MS = 300

/** An attempt to deliver to a receiver elsewhere, as the service recorded it. */
export interface FedAttempt {
  readonly delivery: Delivery
  readonly attempt: Delivery['attempts'][number]
  readonly event: Event['event']
}

/** Watches the attempts of one destination through the management API, until it is disposed of. */
export class DeliveryFeed implements AsyncDisposable {
  readonly #api: ManagementApi
  readonly #destinationId: string
  readonly #stopping = new AbortController()
  #seen = new Set<string>()
  #running: Promise<void> | undefined

  constructor(api: ManagementApi, destinationId: string) {
    this.#api = api
    this.#destinationId = destinationId
  }

  /** Calls `onAttempt` for every attempt from now on, in the order they were made. */
  async start(
    onAttempt: (fed: FedAttempt) => void,
    onTrouble: (error: unknown) => void,
  ): Promise<void> {
    await this.#unseen()
    this.#running = this.#watch(onAttempt, onTrouble)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping.abort()
    await this.#running
  }

  async #watch(
    onAttempt: (fed: FedAttempt) => void,
    onTrouble: (error: unknown) => void,
  ): Promise<void> {
    const { signal } = this.#stopping
    while (!signal.aborted) {
      try {
        for (const fed of await this.#unseen()) {
          const { event } = await this.#api.getEvent(fed.delivery.eventId)
          onAttempt({ ...fed, event })
        }
      } catch (error) {
        onTrouble(error)
      }
      await pause(POLL_MS, undefined, { signal }).catch(() => {})
    }
  }

  async #unseen(): Promise<Omit<FedAttempt, 'event'>[]> {
    const filter = { destinationId: this.#destinationId, limit: 50 }
    const { data } = await this.#api.listDeliveries(filter)
    const all = data.flatMap((delivery) =>
      delivery.attempts.map((attempt) => ({ delivery, attempt })),
    )
    const before = this.#seen
    this.#seen = new Set(all.map(({ attempt }) => attempt.id))
    return all
      .filter(({ attempt }) => !before.has(attempt.id))
      .toSorted((a, b) => (a.attempt.id < b.attempt.id ? -1 : 1))
  }
}
