import type { Attempt } from '@hookline/protocol'
import type { ReceiverBehaviour } from '../environment/receiver-behaviour.ts'
import { destinationIdOf } from '../environment/simulated-destinations.ts'

/** A thread and the destinations whose lanes it owns. */
interface StartedThread {
  readonly owns: (destinationId: string) => boolean
  readonly at: number
}

/** The requests in a simulation and their results, recorded independently of the engine. */
export class RequestHistory {
  readonly #behaviours: ReadonlyMap<string, ReceiverBehaviour>
  readonly #successes = new Map<string, number>()
  /** By URL: the start of the latest attempt with a response that is not retried. */
  readonly #responded = new Map<string, number>()
  /** By URL: the start of the latest attempt that is retried. */
  readonly #failed = new Map<string, number>()
  #processStartedAt = 0
  /** The threads of the process. Each starts without state about the receivers. */
  #threads: readonly StartedThread[] = []
  #sends = 0

  constructor(behaviours: ReadonlyMap<string, ReceiverBehaviour>) {
    this.#behaviours = behaviours
  }

  get sends(): number {
    return this.#sends
  }

  /**
   * Called when a request is sent. Returns how often the receiver has accepted this delivery, including this request.
   */
  sent(deliveryId: string, url: string, outcome: Attempt['outcome']): number {
    this.#sends++
    const key = `${deliveryId} ${url}`
    const before = this.#successes.get(key) ?? 0
    if (outcome !== 'delivered') return before
    this.#successes.set(key, before + 1)
    return before + 1
  }

  /** Called when the engine received the result of an attempt. */
  ended({ url, outcome, startedAt }: Attempt): void {
    const latest = outcome === 'retry' ? this.#failed : this.#responded
    latest.set(url, Math.max(latest.get(url) ?? 0, startedAt))
  }

  /** Called when a process has started. It has no state about the receivers yet. */
  processStarted(now: number): void {
    this.#processStartedAt = now
    this.#threads = []
  }

  threadStarted(thread: StartedThread): void {
    this.#threads = [...this.#threads, thread]
  }

  /** How often the receiver has accepted the delivery. */
  successes(deliveryId: string, url: string): number {
    return this.#successes.get(`${deliveryId} ${url}`) ?? 0
  }

  /**
   * Whether there has been at least one attempt to the webhook since the time `since`, all of them
   * failed, and the process and the webhook's thread have been running throughout.
   */
  hasFailedThroughout(url: string, since: number): boolean {
    const responded = this.#responded.get(url) ?? 0
    const failed = this.#failed.get(url) ?? 0
    const destinationId = destinationIdOf(url)
    const thread = this.#threads.findLast(({ owns }) => owns(destinationId))
    const startedAt = thread?.at ?? this.#processStartedAt
    return startedAt <= since && responded < since && failed >= since
  }

  retryAfterMs(url: string): number {
    return this.#behaviours.get(url)?.retryAfterMs ?? 0
  }
}
