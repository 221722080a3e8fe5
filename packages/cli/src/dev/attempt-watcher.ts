import { setTimeout as pause } from 'node:timers/promises'
import type { Delivery, Event } from '../api/generated/management-client.ts'
import type { ManagementApi } from '../api/management-api.ts'

const POLL_MS = 300

/** An attempt of the service to deliver an event. */
export interface WatchedAttempt {
  readonly delivery: Delivery
  readonly attempt: Delivery['attempts'][number]
  readonly event: Event['event']
}

/** Polls the management API for the attempts of one destination, until it is disposed of. */
export class AttemptWatcher implements AsyncDisposable {
  readonly #api: ManagementApi
  readonly #destinationId: string
  readonly #stopping = new AbortController()
  #seen = new Set<string>()
  #running: Promise<void> | undefined

  constructor(api: ManagementApi, destinationId: string) {
    this.#api = api
    this.#destinationId = destinationId
  }

  /** Calls `onAttempt` for every attempt from now on, in their order, and `onError` if a poll fails. */
  async start(
    onAttempt: (watched: WatchedAttempt) => void,
    onError: (error: unknown) => void,
  ): Promise<void> {
    await this.#unseen()
    this.#running = this.#watch(onAttempt, onError)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping.abort()
    await this.#running
  }

  async #watch(
    onAttempt: (watched: WatchedAttempt) => void,
    onError: (error: unknown) => void,
  ): Promise<void> {
    const { signal } = this.#stopping
    while (!signal.aborted) {
      try {
        for (const unseen of await this.#unseen()) {
          const { event } = await this.#api.getEvent(unseen.delivery.eventId)
          onAttempt({ ...unseen, event })
        }
      } catch (error) {
        onError(error)
      }
      await pause(POLL_MS, undefined, { signal }).catch(() => {})
    }
  }

  async #unseen(): Promise<Omit<WatchedAttempt, 'event'>[]> {
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
