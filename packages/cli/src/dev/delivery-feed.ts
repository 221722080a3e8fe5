import { setTimeout as pause } from 'node:timers/promises'
import type { ApiClient } from '../api/api-client.ts'
import type { AttemptShown, DeliveryShown, EventShown, PageShown } from '../api/resources.ts'

const POLL_MS = 300

/** An attempt to deliver to a receiver elsewhere, as the service recorded it. */
export interface FedAttempt {
  readonly delivery: DeliveryShown
  readonly attempt: AttemptShown
  readonly event: EventShown['event']
}

/** Watches the attempts of one destination through the management API, until it is disposed of. */
export class DeliveryFeed implements AsyncDisposable {
  readonly #api: ApiClient
  readonly #destinationId: string
  readonly #stopping = new AbortController()
  #seen = new Set<string>()
  #running: Promise<void> | undefined

  constructor(api: ApiClient, destinationId: string) {
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
          const path = `events/${fed.delivery.eventId}`
          onAttempt({ ...fed, event: (await this.#api.get<EventShown>(path)).event })
        }
      } catch (error) {
        onTrouble(error)
      }
      await pause(POLL_MS, undefined, { signal }).catch(() => {})
    }
  }

  async #unseen(): Promise<Omit<FedAttempt, 'event'>[]> {
    const query = { destinationId: this.#destinationId, limit: '50' }
    const { data } = await this.#api.get<PageShown<DeliveryShown>>('deliveries', query)
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
