import type { Sender } from '../../../packages/server/src/delivery/rounds/attempt-round.ts'
import type { AttemptResult } from '../../../packages/server/src/delivery/sending/outcome.ts'
import { WebhookHealth } from '../../../packages/server/src/delivery/health/webhook-health.ts'
import { destinationOf } from './environment/simulated-destinations.ts'
import { NO_LISTENER } from './backend/backend-listener.ts'
import { DurableState } from './backend/durable-state.ts'
import { openMemoryBackend } from './backend/memory-backend.ts'
import { SimulatedEvents } from './environment/simulated-events.ts'
import { SimulatedProcess } from './simulated-process.ts'
import { settled, VirtualClock } from './environment/virtual-clock.ts'
import { InstrumentedRounds } from './invariants/instrumentation.ts'

const EVENTS = 200
const LIMITS = { maxInFlight: 64, laneConcurrency: 64, laneWindow: 256, maxInMemory: 16_384 }
const LATENCY_MS = 100

/** Lanes of healthy receivers, all with the same backlog, so that only the slots are scarce. */
export class BusyLanes {
  readonly #clock = new VirtualClock()
  readonly #state = new DurableState()
  #inFlight = 0
  /** Attempts made, by destination. */
  readonly #attempts = new Map<string, number>()
  readonly #process: SimulatedProcess
  readonly #events: SimulatedEvents

  /** @param webhooks the number of webhooks of each destination */
  constructor(webhooks: readonly number[], random: () => number) {
    for (const [index, count] of webhooks.entries()) {
      const id = `dst_${index}`
      const urls = Array.from({ length: count }, (_, place) => `https://${id}.example/${place}`)
      this.#state.destinations.set(id, destinationOf(id, urls, 'each'))
      this.#attempts.set(id, 0)
    }
    this.#events = new SimulatedEvents(random)
    const clock = this.#clock
    const health = new WebhookHealth(clock)
    const sender: Sender = { send: ({ url }) => this.#send(url, random) }
    const retryWindowMs = 60_000
    const schedule = { windowMs: retryWindowMs }
    this.#process = new SimulatedProcess({
      clock,
      backend: openMemoryBackend(this.#state, {
        clock,
        delayMs: () => 1,
        isUnavailable: () => false,
        listener: NO_LISTENER,
      }),
      sender,
      rounds: new InstrumentedRounds(
        { clock, sender, schedule, health },
        { roundBegins: () => this.#inFlight++, roundEnds: () => this.#inFlight-- },
      ),
      health,
      limits: LIMITS,
      retryWindowMs,
      onBug: (line) => {
        throw new Error(line)
      },
    })
  }

  /** How many more attempts one lane made than another, at most, over any period in which every lane had work. */
  async worstSpread(): Promise<number> {
    void this.#process.backend.log.append(this.#events.make(this.#clock.now(), EVENTS))
    const ids = [...this.#attempts.keys()]
    const leads = ids.flatMap((a, index) => ids.slice(index + 1).map((b) => new Lead(a, b)))
    for (;;) {
      this.#clock.step(Infinity)
      await settled()
      // Once a lane has no work left, the others share its slots.
      if (!this.#allAreBusy()) break
      // While slots are free, every lane gets as many as it wants.
      if (this.#inFlight === LIMITS.maxInFlight) for (const lead of leads) lead.note(this.#attempts)
    }
    return Math.max(...leads.map(({ range }) => range))
  }

  async #send(url: string, random: () => number): Promise<AttemptResult> {
    const id = new URL(url).host.split('.')[0]!
    this.#attempts.set(id, this.#attempts.get(id)! + 1)
    const startedAt = this.#clock.now()
    const durationMs = Math.floor(random() * LATENCY_MS)
    await new Promise<void>((resolve) => this.#clock.after(durationMs, resolve))
    return { startedAt, durationMs, outcome: 'delivered', class: 'delivered' }
  }

  #allAreBusy(): boolean {
    const destinations = [...this.#state.destinations.values()]
    return destinations.every(({ id, settings }) => {
      const all = EVENTS * settings.webhooks.length
      return this.#attempts.get(id)! < all
    })
  }
}

/** How many attempts one lane is ahead of another, over time. */
class Lead {
  readonly #a: string
  readonly #b: string
  #least = Infinity
  #most = -Infinity

  constructor(a: string, b: string) {
    this.#a = a
    this.#b = b
  }

  note(attempts: ReadonlyMap<string, number>): void {
    const lead = attempts.get(this.#a)! - attempts.get(this.#b)!
    this.#least = Math.min(this.#least, lead)
    this.#most = Math.max(this.#most, lead)
  }

  get range(): number {
    return this.#most - this.#least
  }
}
