import { WebhookHealth } from '../../../packages/server/src/delivery/health/webhook-health.ts'
import { destinationOf } from './surroundings/destinations-of.ts'
import { DurableState } from './backend/durable-state.ts'
import { openMemoryBackend } from './backend/memory-backend.ts'
import { settled } from './surroundings/settled.ts'
import { SimulatedEvents } from './surroundings/simulated-events.ts'
import { SimulatedProcess } from './simulated-process.ts'
import { VirtualClock } from './surroundings/virtual-clock.ts'
import { WatchedRounds } from './rules/watched-rounds.ts'

const EVENTS = 200
const LIMITS = { maxInFlight: 64, laneConcurrency: 64, laneWindow: 256 }
const LATENCY_MS = 100

/** Lanes of healthy receivers, all with the same backlog: nothing is scarce but the slots. */
export class BusyLanes {
  readonly #clock = new VirtualClock()
  readonly #state = new DurableState()
  #inFlight = 0
  /** Attempts made, by destination. */
  readonly #attempts = new Map<string, number>()
  readonly #process: SimulatedProcess
  readonly #events: SimulatedEvents

  /** @param webhooks how many each destination has */
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
    const send = async ({ url }: { readonly url: string }) => {
      const id = new URL(url).host.split('.')[0]!
      this.#attempts.set(id, this.#attempts.get(id)! + 1)
      const startedAt = clock.now()
      const durationMs = Math.floor(random() * LATENCY_MS)
      await new Promise<void>((resolve) => clock.after(durationMs, resolve))
      return { startedAt, durationMs, outcome: 'delivered', class: 'delivered' } as const
    }
    const retryWindowMs = 60_000
    const schedule = { windowMs: retryWindowMs }
    const nothing = (): void => undefined
    this.#process = new SimulatedProcess({
      clock,
      backend: openMemoryBackend(this.#state, {
        clock,
        delayMs: () => 1,
        isAway: () => false,
        witness: {
          appended: nothing,
          archived: nothing,
          acked: nothing,
          recorded: nothing,
          purged: nothing,
        },
      }),
      sender: { send },
      rounds: new WatchedRounds(
        { clock, sender: { send }, schedule, health },
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

  /** Over any stretch of time in which every lane has something to send: the most attempts that one got more than another. */
  async worstSpread(): Promise<number> {
    void this.#process.backend.log.append(this.#events.make(this.#clock.now(), EVENTS))
    const ids = [...this.#attempts.keys()]
    const leads = ids.flatMap((a, index) => ids.slice(index + 1).map((b) => new Lead(a, b)))
    for (;;) {
      this.#clock.step(Infinity)
      await settled()
      // From when one lane has nothing left, the others share what was its own.
      if (!this.#allAreBusy()) break
      // Before that each lane gets what it wants.
      if (this.#inFlight === LIMITS.maxInFlight) for (const lead of leads) lead.note(this.#attempts)
    }
    return Math.max(...leads.map(({ range }) => range))
  }

  #allAreBusy(): boolean {
    const destinations = [...this.#state.destinations.values()]
    return destinations.every(({ id, settings }) => {
      const all = EVENTS * settings.webhooks.length
      return this.#attempts.get(id)! < all
    })
  }
}

/** How far one lane is ahead of another, over time. */
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
