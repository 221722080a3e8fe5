import { setTimeout as sleep } from 'node:timers/promises'
import { LiveMessages } from '../../../packages/cli/src/api/live-messages.ts'
import type { MeasuredService } from '@hookline/testing/service/measured-service'

/** The reconnection time in the `retry` field of the stream. */
const RECONNECT_MS = 1000

/** Counts the occurrences of each id. */
class Count {
  readonly #times = new Map<unknown, number>()

  add(id: unknown): void {
    this.#times.set(id, (this.#times.get(id) ?? 0) + 1)
  }

  get size(): number {
    return this.#times.size
  }

  /** The number of ids that occurred more than once. */
  get repeated(): number {
    return this.#times.values().reduce((sum, times) => sum + (times > 1 ? 1 : 0), 0)
  }

  /** The number of these ids that have not occurred. */
  missing(ids: readonly unknown[]): number {
    return ids.filter((id) => !this.#times.has(id)).length
  }
}

/** Reads the live tail over several connections, and counts the messages about each event. */
export class TailReader implements AsyncDisposable {
  /** Messages by kind. Events are counted by messageId, decisions and attempts by event id. */
  readonly received = { event: new Count(), decision: new Count(), attempt: new Count() }
  /** All other messages: gaps. */
  readonly others: string[] = []
  reconnects = 0
  readonly #service: MeasuredService
  readonly #messages = new LiveMessages()
  #abort = new AbortController()
  #reading: Promise<void> = Promise.resolve()

  constructor(service: MeasuredService) {
    this.#service = service
  }

  async connect(): Promise<void> {
    this.#abort = new AbortController()
    const { lastId } = this.#messages
    const { signal } = this.#abort
    const answer = await this.#service.live({ ...(lastId !== undefined && { lastId }), signal })
    this.#reading = this.#read(answer).catch(() => undefined)
  }

  /** Breaks the connection at any point, and reconnects like a browser. */
  async reconnect(): Promise<void> {
    await this.#break()
    await sleep(RECONNECT_MS)
    await this.connect()
    this.reconnects += 1
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#break()
  }

  async #break(): Promise<void> {
    this.#abort.abort()
    await this.#reading
    this.#messages.reset()
  }

  async #read(answer: Response): Promise<void> {
    const decoder = new TextDecoder()
    for await (const chunk of answer.body!) {
      for (const block of this.#messages.take(decoder.decode(chunk, { stream: true })))
        this.#take(block.name, block.data)
    }
  }

  #take(name: string, data: Readonly<Record<string, unknown>>): void {
    if (name === 'event') this.received.event.add(data['messageId'])
    else if (name === 'decision' || name === 'attempt') this.received[name].add(data['eventId'])
    else this.others.push(`${name} ${JSON.stringify(data)}`)
  }
}
