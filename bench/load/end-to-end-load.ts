import { SETTINGS } from '@hookline/server/settings'
import { requestTemplate } from './calls.ts'
import type { EventReceiver } from './event-receiver.ts'
import { RawClient } from './raw-client.ts'

const CONNECTIONS = 64
/** The maximum number of events in flight: less than the size of a lane, so that none is parked in the database. */
const OUTSTANDING = 0.8 * Number(SETTINGS.webhookQueueSize.default)
const TICK_MS = 1
const DEADLINE_MS = 60_000

export interface EndToEndLoadOptions {
  /** The port of the service, or of each node of a cluster. */
  readonly port: number | readonly number[]
  readonly writeKey: string
  readonly receiver: EventReceiver
  /** Calls per request. */
  readonly count?: number
  /** The number of destinations for each event. */
  readonly destinations?: number
  /** A template for all calls. Default: the call of `calls.ts`. */
  readonly like?: object | undefined
}

/** Sends calls to a service, and counts and times the events that arrive at the receiver. */
export class EndToEndLoad implements AsyncDisposable {
  readonly #count: number
  readonly #destinations: number
  readonly #request: () => Buffer
  /** The due time of each event, by its number. */
  readonly #dueAt: number[] = []
  #client: RawClient | undefined
  sent = 0
  /** The time when sending ends. */
  #end = 0
  #deliveries = 0
  #latencies: number[] = []
  #maySend = (): boolean => false
  #onArrival = (): void => undefined

  private constructor({
    writeKey,
    receiver,
    count = 1,
    destinations = 1,
    like,
  }: EndToEndLoadOptions) {
    this.#count = count
    this.#destinations = destinations
    const path = count === 1 ? '/v1/track' : '/v1/batch'
    this.#request = requestTemplate(path, writeKey, { count, like })
    receiver.onEvent = (number) => this.#onEvent(number)
  }

  static async open(options: EndToEndLoadOptions): Promise<EndToEndLoad> {
    const load = new EndToEndLoad(options)
    const next = (): Buffer | undefined => load.#next()
    load.#client = await RawClient.open({ port: options.port, connections: CONNECTIONS, next })
    return load
  }

  /** The events per second that reach every destination, if only `OUTSTANDING` limits the calls. */
  async throughput(seconds: number): Promise<number> {
    const before = this.sent
    const started = performance.now()
    this.#end = started + seconds * 1000
    const limit = Math.max(OUTSTANDING, this.#count)
    this.#maySend = () => this.#outstanding + this.#count <= limit && performance.now() < this.#end
    this.#onArrival = () => this.#client!.poke()
    this.#client!.poke()
    await this.#drained()
    return (this.sent - before) / ((performance.now() - started) / 1000)
  }

  /**
   * Sends calls at random times with this mean rate while `work` runs.
   * @returns the events per second that arrive while `work` runs, and its result
   */
  async meanwhile<T>(
    eventsPerSecond: number,
    work: () => Promise<T>,
  ): Promise<{ readonly rate: number; readonly result: T }> {
    const [started, arrivedBefore] = [performance.now(), this.#deliveries]
    const sent = this.latenciesMs({ eventsPerSecond, seconds: Infinity })
    const result = await work()
    this.#end = performance.now()
    const rate = (this.#deliveries - arrivedBefore) / ((this.#end - started) / 1000)
    await sent
    return { rate, result }
  }

  /** The latency of each event, measured from when it was due. Calls are due at random times with this mean rate. */
  async latenciesMs(load: {
    readonly eventsPerSecond: number
    readonly seconds: number
  }): Promise<readonly number[]> {
    const started = performance.now()
    this.#end = started + load.seconds * 1000
    const meanMs = (1000 * this.#count) / load.eventsPerSecond
    const wait = (): number => -Math.log(1 - Math.random()) * meanMs
    let dueAt = started + wait()
    this.#latencies = []
    this.#onArrival = () => undefined
    this.#maySend = () => {
      if (dueAt > performance.now() || dueAt >= this.#end) return false
      for (let call = 0; call < this.#count; call++) this.#dueAt[this.sent + call] = dueAt
      dueAt += wait()
      return true
    }
    const ticking = setInterval(() => this.#client!.poke(), TICK_MS)
    await this.#drained(() => dueAt >= this.#end)
    clearInterval(ticking)
    return this.#latencies
  }

  /** The due time of the call with this number; `undefined` if there was none. */
  dueAt(number: number): number | undefined {
    return this.#dueAt[number]
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#client?.[Symbol.asyncDispose]()
  }

  get #outstanding(): number {
    return this.sent - this.#deliveries / this.#destinations
  }

  #next(): Buffer | undefined {
    if (!this.#maySend()) return undefined
    this.sent += this.#count
    return this.#request()
  }

  #onEvent(number: number | undefined): void {
    // Other events may also arrive, because pending deliveries are retried.
    if (number === undefined) return
    this.#deliveries++
    const dueAt = this.#dueAt[number]
    if (dueAt !== undefined) this.#latencies.push(performance.now() - dueAt)
    this.#onArrival()
  }

  /** Resolves when `#end` has passed and no event is due or in flight. */
  async #drained(isAllSent = (): boolean => true): Promise<void> {
    const isOver = (): boolean =>
      performance.now() >= this.#end && isAllSent() && this.#outstanding === 0
    while (!isOver()) {
      if (performance.now() > this.#end + DEADLINE_MS) {
        throw new Error(`${this.#outstanding} events have not arrived.`)
      }
      await new Promise((resolve) => setTimeout(resolve, TICK_MS))
    }
    await this.#client!.idle()
  }
}
