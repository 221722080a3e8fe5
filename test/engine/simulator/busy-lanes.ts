import type { Sender } from '../../../packages/server/src/delivery/parts/attempts.ts'
import type { AttemptResult } from '../../../packages/server/src/delivery/sending/outcome.ts'
import { WebhookHealth } from '../../../packages/server/src/delivery/health/webhook-health.ts'
import { destinationOf } from './environment/simulated-destinations.ts'
import { NO_LISTENER } from './backend/backend-listener.ts'
import { DurableState } from './backend/durable-state.ts'
import { openMemoryBackend } from './backend/memory-backend.ts'
import { SimulatedEvents } from './environment/simulated-events.ts'
import { SimulatedProcess } from './simulated-process.ts'
import { waitForTurns, VirtualClock } from './environment/virtual-clock.ts'

const EVENTS = 200
/** The limit of attempts in flight for all lanes. */
export const SLOTS = 64
const LIMITS = {
  maxInFlight: SLOTS,
  maxConcurrencyPerWebhook: 64,
  webhookQueueSize: 256,
  maxInMemory: 16_384,
}
/** The maximum response time. */
export const LATENCY_MS = 100

/** The use of slots by one lane. */
interface LaneShare {
  attempts: number
  inFlight: number
  /** When it last had an attempt in flight. */
  idleSince: number
}

/** Lanes of healthy receivers with equal backlogs, so that only the slots are scarce. */
export class BusyLanes {
  readonly #clock = new VirtualClock()
  readonly #state = new DurableState()
  /** By URL. */
  readonly #lanes = new Map<string, LaneShare>()
  readonly #process: SimulatedProcess
  readonly #events: SimulatedEvents
  #spread = 0
  #longestIdleMs = 0

  /** @param webhooks the number of webhooks of each destination */
  constructor(webhooks: readonly number[], random: () => number) {
    for (const [index, count] of webhooks.entries()) {
      const id = `dst_${index}`
      const urls = Array.from({ length: count }, (_, place) => `https://${id}.example/${place}`)
      this.#state.destinations.set(id, destinationOf(id, urls, 'each'))
      for (const url of urls)
        this.#lanes.set(url, { attempts: 0, inFlight: 0, idleSince: this.#clock.now() })
    }
    this.#events = new SimulatedEvents(random)
    const clock = this.#clock
    const health = new WebhookHealth(clock)
    const sender: Sender = { send: ({ url }) => this.#send(url, random) }
    const retryWindowMs = 60_000
    this.#process = new SimulatedProcess({
      clock,
      backend: openMemoryBackend(this.#state, {
        clock,
        delayMs: () => 1,
        isUnavailable: () => false,
        listener: NO_LISTENER,
      }),
      sender,
      health,
      limits: LIMITS,
      retryWindowMs,
      onBug: (line) => {
        throw new Error(line)
      },
    })
  }

  /** Delivers until one lane has no work left, after which the others would share its slots. */
  async run(): Promise<BusyLanesResult> {
    void this.#process.backend.log.append(this.#events.make(this.#clock.now(), EVENTS))
    while ([...this.#lanes.values()].every(({ attempts }) => attempts < EVENTS)) {
      this.#clock.step(Infinity)
      await waitForTurns()
      this.#note()
    }
    return { lanes: this.#lanes.size, spread: this.#spread, longestIdleMs: this.#longestIdleMs }
  }

  #note(): void {
    const shares = [...this.#lanes.values()]
    // At first, lanes fill up one after another.
    if (shares.some(({ attempts }) => attempts === 0)) return
    const inFlight = shares.map((share) => share.inFlight)
    this.#spread = Math.max(this.#spread, Math.max(...inFlight) - Math.min(...inFlight))
    const idle = shares.filter((share) => share.inFlight === 0)
    const idleMs = idle.map(({ idleSince }) => this.#clock.now() - idleSince)
    this.#longestIdleMs = Math.max(this.#longestIdleMs, ...idleMs)
  }

  async #send(url: string, random: () => number): Promise<AttemptResult> {
    const share = this.#lanes.get(url)!
    share.attempts++
    share.inFlight++
    const startedAt = this.#clock.now()
    const durationMs = Math.floor(random() * LATENCY_MS)
    await new Promise<void>((resolve) => this.#clock.after(durationMs, resolve))
    share.inFlight--
    share.idleSince = this.#clock.now()
    return { startedAt, durationMs, outcome: 'delivered', class: 'delivered' }
  }
}

export interface BusyLanesResult {
  readonly lanes: number
  /** The maximum difference between the attempts in flight of two lanes. */
  readonly spread: number
  /** The longest time that a lane had nothing in flight. */
  readonly longestIdleMs: number
}
