import type { AcceptedEvent } from '@hookline/protocol'
import { randomBytes } from 'node:crypto'
import type { Clock } from '../../../util/time/clock.ts'
import { ShortLivedMap } from '../../../util/short-lived.ts'
import { bytesInChunk, chunkOf, type LogPositions, MAX_EVENTS } from './chunk.ts'
import type { LogStream } from './log-stream.ts'
import { type NatsLink, unavailableError } from './nats-link.ts'

interface ChunkPublisherOptions {
  readonly link: NatsLink
  readonly stream: LogStream
  readonly positions: LogPositions
  readonly clock: Clock
}

interface OpenChunk {
  readonly partition: number
  readonly events: AcceptedEvent[]
  bytes: number
  readonly published: PromiseWithResolvers<void>
}

const GATHER_MS = 2
/** A chunk of this size is published immediately: consumers process it in one turn of the event loop. */
const FULL_BYTES = 512 * 1024
const HEADER_BYTES = 1024
/** Time limits of one attempt, and of all attempts to publish a chunk. */
const ATTEMPT_MS = 2_000
const TOTAL_MS = 5_000
const RETRY_MS = 100

/**
 * Publishes events in chunks, and combines concurrent appends into one chunk. Each chunk has an id,
 * so the server stores it once.
 */
export class ChunkPublisher {
  readonly #options: ChunkPublisherOptions
  readonly #open = new ShortLivedMap<number, OpenChunk>()
  readonly #name = randomBytes(9).toString('base64url')
  #count = 0
  /** The last number that the server has acknowledged. Replaced by a new object when messages are lost. */
  #acknowledged = { number: 0 }
  #lostMessages = 0

  constructor(options: ChunkPublisherOptions) {
    this.#options = options
  }

  /** How many log numbers the server has reused, because it lost the messages that had them. */
  get lostMessages(): number {
    return this.#lostMessages
  }

  async publish(events: readonly AcceptedEvent[]): Promise<void> {
    const chunks = new Set(events.map((event) => this.#gather(event)))
    const published = [...chunks].map((chunk) => chunk.published.promise)
    // A failure is reported once nothing is in progress.
    await Promise.allSettled(published)
    await Promise.all(published)
  }

  /**
   * Publishes one chunk. Resolves to its number in the log. A second chunk with the same id is not
   * stored.
   */
  async send(partition: number, data: Uint8Array, id: string): Promise<number> {
    const { stream, link, clock } = this.#options
    const deadline = clock.now() + TOTAL_MS
    for (;;) {
      try {
        link.assertConnected()
        const options = { msgID: id, timeout: ATTEMPT_MS }
        const before = { last: this.#acknowledged, number: this.#acknowledged.number }
        const { seq, duplicate } = await link.js.publish(stream.subjectOf(partition), data, options)
        const number = stream.numberOf(seq)
        if (!duplicate) this.#compare(number, before)
        return number
      } catch (error) {
        if (clock.now() >= deadline) throw unavailableError(error)
        await this.#recover(deadline)
      }
    }
  }

  /** Numbers only grow, unless a server has lost the newest messages, as in a power cut without `sync_interval: always`. */
  #compare(number: number, before: { readonly last: object; readonly number: number }): void {
    if (before.last !== this.#acknowledged || number > before.number) {
      this.#acknowledged.number = Math.max(this.#acknowledged.number, number)
      return
    }
    this.#lostMessages += this.#acknowledged.number - number + 1
    this.#acknowledged = { number }
  }

  #gather(event: AcceptedEvent): OpenChunk {
    const partition = this.#options.stream.partitionOf(event.sourceId)
    const bytes = bytesInChunk(event)
    const max = this.#options.link.maxPayloadBytes - HEADER_BYTES
    if (bytes > max) throw new RangeError(`The event ${event.id} exceeds max_payload of NATS.`)
    let chunk = this.#open.get(partition)
    if (chunk !== undefined && chunk.bytes + bytes > max) {
      this.#close(chunk)
      chunk = undefined
    }
    chunk ??= this.#begin(partition)
    chunk.events.push(event)
    chunk.bytes += bytes
    if (chunk.bytes >= FULL_BYTES || chunk.events.length === MAX_EVENTS) this.#close(chunk)
    return chunk
  }

  #begin(partition: number): OpenChunk {
    const chunk = { partition, events: [], bytes: 0, published: Promise.withResolvers<void>() }
    this.#open.add(partition, chunk)
    this.#options.clock.after(GATHER_MS, () => this.#close(chunk))
    return chunk
  }

  #close(chunk: OpenChunk): void {
    const { partition, events, published } = chunk
    if (this.#open.get(partition) !== chunk) return
    this.#open.delete(partition)
    published.resolve(this.#sendChunk(partition, events))
  }

  async #sendChunk(partition: number, events: readonly AcceptedEvent[]): Promise<void> {
    const number = await this.send(partition, chunkOf(events), `${this.#name}.${this.#count++}`)
    this.#options.positions.keep(events, number)
  }

  /** Waits for the connection, and creates the stream and consumers if the server has lost them. */
  async #recover(deadline: number): Promise<void> {
    const { link, stream, clock } = this.#options
    const stop = new AbortController()
    const cancel = clock.after(deadline - clock.now(), () => stop.abort())
    try {
      await link.connected(stop.signal)
      if (!stop.signal.aborted) await stream.ensure()
    } catch {
      await new Promise<void>((resolve) => clock.after(RETRY_MS, resolve))
    } finally {
      cancel()
    }
  }
}
