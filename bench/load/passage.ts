import { SETTINGS } from '@hookline/server/settings'
import { numberIn, requestTemplate } from './calls.ts'
import { RawClient } from './raw-client.ts'
import { RawReceiver } from './raw-receiver.ts'

const CONNECTIONS = 64
/** Events on their way at most: fewer than a lane takes, so that what is measured passes and is not parked. */
const OUTSTANDING = 0.8 * Number(SETTINGS.laneWindow.default)
const TICK_MS = 1
const DEADLINE_MS = 60_000

/** Where webhooks arrive; tells which event it was. */
export class Arrivals implements AsyncDisposable {
  #receiver: RawReceiver | undefined
  onEvent: (number: number | undefined) => void = () => undefined
  /** Answers 500 from now on. */
  isRefusing = false

  async open(): Promise<this> {
    this.#receiver = await RawReceiver.open((body) => {
      this.onEvent(numberIn(body))
      return !this.isRefusing
    })
    return this
  }

  urlOf(path: string): string {
    return this.#receiver!.urlOf(path)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#receiver?.[Symbol.asyncDispose]()
  }
}

export interface PassageOptions {
  readonly port: number
  readonly writeKey: string
  readonly arrivals: Arrivals
  /** Calls in a request. */
  readonly count?: number
  /** Destinations that each event goes to. */
  readonly destinations?: number
  /** The call that all are like; without it, the usual one. */
  readonly like?: object | undefined
}

/** A load before the service and arrivals behind it: events are counted, and timed from call to receiver. */
export class Passage implements AsyncDisposable {
  readonly #count: number
  readonly #destinations: number
  readonly #request: () => Buffer
  /** By number of the event: when it was due. */
  readonly #dueAt: number[] = []
  #client: RawClient | undefined
  /** Events so far. */
  sent = 0
  #deliveries = 0
  #latencies: number[] = []
  #mayGo = (): boolean => false
  #onArrival = (): void => undefined

  private constructor({ writeKey, arrivals, count = 1, destinations = 1, like }: PassageOptions) {
    this.#count = count
    this.#destinations = destinations
    const path = count === 1 ? '/v1/track' : '/v1/batch'
    this.#request = requestTemplate(path, writeKey, { count, like })
    arrivals.onEvent = (number) => this.#arrive(number)
  }

  static async open(options: PassageOptions): Promise<Passage> {
    const passage = new Passage(options)
    const next = (): Buffer | undefined => passage.#next()
    passage.#client = await RawClient.open({ port: options.port, connections: CONNECTIONS, next })
    return passage
  }

  /** Events per second that reach every destination, when calls wait only for room. */
  async throughput(seconds: number): Promise<number> {
    const before = this.sent
    const started = performance.now()
    const end = started + seconds * 1000
    const most = Math.max(OUTSTANDING, this.#count)
    this.#mayGo = () => this.#outstanding + this.#count <= most && performance.now() < end
    this.#onArrival = () => this.#client!.poke()
    this.#client!.poke()
    await this.#drained(end)
    return (this.sent - before) / ((performance.now() - started) / 1000)
  }

  /** How long each event was under way, when calls come at random with this rate, from when it was due. */
  async latenciesMs(load: {
    readonly eventsPerSecond: number
    readonly seconds: number
  }): Promise<readonly number[]> {
    const started = performance.now()
    const end = started + load.seconds * 1000
    const meanMs = (1000 * this.#count) / load.eventsPerSecond
    const wait = (): number => -Math.log(1 - Math.random()) * meanMs
    let dueAt = started + wait()
    this.#latencies = []
    this.#onArrival = () => undefined
    this.#mayGo = () => {
      if (dueAt > performance.now() || dueAt >= end) return false
      for (let call = 0; call < this.#count; call++) this.#dueAt[this.sent + call] = dueAt
      dueAt += wait()
      return true
    }
    const ticking = setInterval(() => this.#client!.poke(), TICK_MS)
    await this.#drained(end, () => dueAt >= end)
    clearInterval(ticking)
    return this.#latencies
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#client?.[Symbol.asyncDispose]()
  }

  get #outstanding(): number {
    return this.sent - this.#deliveries / this.#destinations
  }

  #next(): Buffer | undefined {
    if (!this.#mayGo()) return undefined
    this.sent += this.#count
    return this.#request()
  }

  #arrive(number: number | undefined): void {
    // Of others there may be some: what is pending is retried.
    if (number === undefined) return
    this.#deliveries++
    const dueAt = this.#dueAt[number]
    if (dueAt !== undefined) this.#latencies.push(performance.now() - dueAt)
    this.#onArrival()
  }

  /** Resolves when, after the end, nothing is due or on its way any more. */
  async #drained(end: number, isAllSent = (): boolean => true): Promise<void> {
    const isOver = (): boolean => performance.now() >= end && isAllSent() && this.#outstanding === 0
    while (!isOver()) {
      if (performance.now() > end + DEADLINE_MS) {
        throw new Error(`${this.#outstanding} events have not arrived.`)
      }
      await new Promise((resolve) => setTimeout(resolve, TICK_MS))
    }
    await this.#client!.idle()
  }
}
