import { type AcceptedEvent, type Delivery, timeOfId } from '@hookline/protocol'
import type { Sender } from '../../../packages/server/src/delivery/parts/attempts.ts'
import type { AttemptResult } from '../../../packages/server/src/delivery/sending/outcome.ts'
import { WebhookHealth } from '../../../packages/server/src/delivery/health/webhook-health.ts'
import { destinationOf } from './environment/simulated-destinations.ts'
import { NO_LISTENER } from './backend/backend-listener.ts'
import { DurableState, isFinal } from './backend/durable-state.ts'
import { openMemoryBackend } from './backend/memory-backend.ts'
import { SeededMathRandom } from '@hookline/testing/run/seed'
import { SimulatedEvents } from './environment/simulated-events.ts'
import { SimulatedProcess } from './simulated-process.ts'
import { waitForTurns, VirtualClock } from './environment/virtual-clock.ts'

export interface LongOutageOptions {
  readonly random: () => number
  readonly eventsPerSecond: number
  readonly downMs: number
  /** The receiver's response time, whether it is up or down. */
  readonly latencyMs: number
  /**
   * The number of concurrent requests that the receiver handles. It responds to any others with
   * 503.
   */
  readonly capacity: number
}

const MINUTE = 60_000
const RETRY_WINDOW_MS = 4 * 60 * MINUTE
const LIMITS = {
  maxInFlight: 512,
  maxConcurrencyPerWebhook: 64,
  webhookQueueSize: 256,
  maxInMemory: 16_384,
}
/**
 * Arrivals per second while the receiver is down and up. Events that arrive together share a commit.
 */
const ARRIVALS = { down: 1, up: 10 }

/** One destination with production settings. Its receiver goes down, and recovers with limited capacity. */
export class LongOutage {
  readonly #options: LongOutageOptions
  readonly #clock = new VirtualClock()
  readonly #state = new DurableState()
  readonly #events: SimulatedEvents
  readonly #process: SimulatedProcess
  readonly #ended: Delivery[] = []
  #isDown = false
  #wasDown = false
  #inFlight = 0
  #expired = 0
  #requests = 0
  readonly #minutes: Minute[] = []
  /** New deliveries that were refused once. As retries, they wait behind the backlog. */
  readonly #refused = new Set<string>()
  readonly #lateMs: number[] = []
  #returnedAt = Infinity

  constructor(options: LongOutageOptions) {
    this.#options = options
    this.#events = new SimulatedEvents(options.random)
    const destination = destinationOf('dst_a', ['https://a.example/'], 'any')
    this.#state.destinations.set(destination.id, destination)
    const clock = this.#clock
    const health = new WebhookHealth(clock)
    const sender: Sender = { send: (request) => this.#respond(request.deliveryId) }
    this.#process = new SimulatedProcess({
      clock,
      backend: openMemoryBackend(this.#state, {
        clock,
        delayMs: () => 1,
        isUnavailable: () => false,
        listener: { ...NO_LISTENER, recorded: (_before, offered) => this.#recorded(offered) },
      }),
      sender,
      health,
      limits: LIMITS,
      retryWindowMs: RETRY_WINDOW_MS,
      onBug: (line) => {
        throw new Error(line)
      },
    })
  }

  async run() {
    using _random = new SeededMathRandom(this.#options.random)
    const { downMs, eventsPerSecond } = this.#options
    await this.#pass(MINUTE, ARRIVALS.up)
    this.#isDown = true
    this.#wasDown = true
    const before = this.#requests
    // The breaker opens within this minute, when 70% of the attempts in the last minute have failed.
    await this.#pass(MINUTE, ARRIVALS.down)
    const untilOpen = this.#requests - before
    await this.#pass(downMs - MINUTE, ARRIVALS.down)
    const whileDown = {
      events: (downMs / 1000) * eventsPerSecond,
      untilOpen,
      probes: this.#requests - before - untilOpen,
    }
    this.#isDown = false
    while (this.#returnedAt === Infinity) await this.#pass(1000, ARRIVALS.up)
    this.#expired = 0
    const backlog = this.#state.deliveries.size
    while (this.#state.deliveries.size > 1000) await this.#pass(1000, ARRIVALS.up)
    const tookMs = this.#clock.now() - this.#returnedAt
    await this.#pass(MINUTE, 0)
    return { whileDown, drain: { backlog, tookMs, ...this.#drainFigures() } }
  }

  #drainFigures() {
    const all = this.#minutes.filter((minute) => minute !== undefined)
    const fresh = [...all.flatMap(({ freshMs }) => freshMs), ...this.#lateMs]
    const full = all.filter(({ requests }) => requests > 1000)
    return {
      requests: all.reduce((sum, { requests }) => sum + requests, 0),
      failed: all.reduce((sum, { failed }) => sum + failed, 0),
      worstMinuteFailed: Math.max(...full.map(({ failed, requests }) => failed / requests)),
      freshP99Ms: p99(fresh),
      worstMinuteP99Ms: Math.max(...all.map(({ freshMs }) => p99(freshMs))),
      expired: this.#expired,
      left: this.#state.deliveries.size,
    }
  }

  async #pass(ms: number, arrivalsPerSecond: number): Promise<void> {
    const until = this.#clock.now() + ms
    this.#arriveEach(1000 / arrivalsPerSecond, until)
    while (this.#clock.now() < until) {
      this.#clock.step(until)
      await waitForTurns()
      this.#removeEnded()
    }
  }

  #arriveEach(everyMs: number, until: number): void {
    if (this.#clock.now() + everyMs > until) return
    this.#clock.after(everyMs, () => {
      const count = Math.round((this.#options.eventsPerSecond * everyMs) / 1000)
      void this.#process.backend.log.append(this.#events.make(this.#clock.now(), count))
      this.#arriveEach(everyMs, until)
    })
  }

  #respond(deliveryId: string): Promise<AttemptResult> {
    const startedAt = this.#clock.now()
    const isOverloaded = this.#inFlight >= this.#options.capacity
    const isTaken = !this.#isDown && !isOverloaded
    this.#requests++
    this.#inFlight++
    // The first successful request after the outage is a probe of the breaker.
    if (isTaken && this.#wasDown) this.#returnedAt = Math.min(this.#returnedAt, startedAt)
    if (startedAt >= this.#returnedAt) this.#count(deliveryId, startedAt, isTaken)
    const durationMs = this.#options.latencyMs
    const { promise, resolve } = Promise.withResolvers<AttemptResult>()
    this.#clock.after(durationMs, () => {
      this.#inFlight--
      const response = isTaken
        ? ({ outcome: 'delivered', class: 'delivered', status: 200 } as const)
        : ({ outcome: 'retry', class: 'http_5xx', status: 503 } as const)
      resolve({ startedAt, durationMs, ...response })
    })
    return promise
  }

  #count(deliveryId: string, at: number, isTaken: boolean): void {
    const minute = Math.floor((at - this.#returnedAt) / MINUTE)
    const figures = (this.#minutes[minute] ??= { requests: 0, failed: 0, freshMs: [] })
    figures.requests++
    if (!isTaken) figures.failed++
    const receivedAt = timeOfId(deliveryId)
    if (receivedAt < this.#returnedAt) return
    if (!isTaken) this.#refused.add(deliveryId)
    else if (this.#refused.has(deliveryId)) this.#lateMs.push(at - receivedAt)
    else figures.freshMs.push(at - receivedAt)
  }

  #recorded(offered: Delivery): void {
    if (!isFinal(offered)) return
    if (offered.state === 'expired') this.#expired++
    this.#ended.push(offered)
  }

  /** Removes final deliveries and their events, because there are millions. */
  #removeEnded(): void {
    for (const { id, eventId } of this.#ended) {
      const { event, sourceId } = this.#state.events.get(eventId) as AcceptedEvent
      this.#state.deliveries.delete(id)
      this.#state.events.delete(eventId)
      this.#state.firstByMessage.delete(`${sourceId} ${event.messageId}`)
    }
    this.#ended.length = 0
  }
}

interface Minute {
  requests: number
  failed: number
  freshMs: number[]
}

function p99(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length * 0.99)] ?? 0
}
