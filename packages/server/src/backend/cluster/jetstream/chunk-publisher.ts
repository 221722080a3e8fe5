import type { AcceptedEvent } from '@hookline/protocol'
import { randomBytes } from 'node:crypto'
import type { Clock } from '../../../util/time/clock.ts'
import { BackendUnavailable } from '../../backend.ts'
import { bytesInChunk, chunkOf, type LogPositions, MAX_EVENTS } from './chunk.ts'
import type { LogStream } from './log-stream.ts'
import { type NatsLink, unavailable } from './nats-link.ts'

interface ChunkPublisherOptions {
  readonly link: NatsLink
  readonly stream: LogStream
  readonly positions: LogPositions
  readonly clock: Clock
}

/** Events that become one message. */
interface OpenChunk {
  readonly partition: number
  readonly events: AcceptedEvent[]
  bytes: number
  readonly published: PromiseWithResolvers<void>
}

/** How long a chunk waits for further appends. */
const GATHER_MS = 2
/** A chunk of so many bytes is published at once: whoever handles it does so in one turn. */
const FULL_BYTES = 512 * 1024
/** Of the headers of a message. */
const HEADER_BYTES = 1024
/** How long one try may take, and all tries of a message. */
const TRY_MS = 2_000
const MOST_MS = 5_000
const PAUSE_MS = 100

/**
 * Publishes events as chunks. Appends that come within GATHER_MS share one. Each chunk has an id, so that the server stores
 * it once, however often it is sent.
 */
export class ChunkPublisher {
  readonly #options: ChunkPublisherOptions
  readonly #open = new Map<number, OpenChunk>()
  readonly #name = randomBytes(9).toString('base64url')
  #count = 0

  constructor(options: ChunkPublisherOptions) {
    this.#options = options
  }

  /** Resolves when every event is stored. */
  async publish(events: readonly AcceptedEvent[]): Promise<void> {
    const chunks = new Set(events.map((event) => this.#gather(event)))
    // All of them settle before one that failed is told: nothing goes on behind the back of the caller.
    const ends = await Promise.allSettled([...chunks].map(({ published }) => published.promise))
    for (const end of ends) if (end.status === 'rejected') throw end.reason
  }

  /** Publishes one chunk, and resolves to its number in the log. A second one with the same id is not stored. */
  async send(partition: number, data: Uint8Array, id: string): Promise<number> {
    const { stream, link, clock } = this.#options
    const deadline = clock.now() + MOST_MS
    for (;;) {
      try {
        if (!link.isConnected) throw new BackendUnavailable('There is no connection to NATS.')
        const options = { msgID: id, timeout: TRY_MS }
        const { seq } = await link.js.publish(stream.subjectOf(partition), data, options)
        return stream.numberOf(seq)
      } catch (error) {
        if (clock.now() >= deadline) throw unavailable(error)
        await this.#recover(deadline)
      }
    }
  }

  #gather(event: AcceptedEvent): OpenChunk {
    const partition = this.#options.stream.partitionOf(event.sourceId)
    const bytes = bytesInChunk(event)
    const most = this.#options.link.maxPayloadBytes - HEADER_BYTES
    if (bytes > most)
      throw new RangeError(`The event ${event.id} is larger than a message of NATS.`)
    let chunk = this.#open.get(partition)
    if (chunk !== undefined && chunk.bytes + bytes > most) {
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
    this.#open.set(partition, chunk)
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

  /** Waits for the connection, and makes what the server may have lost. */
  async #recover(deadline: number): Promise<void> {
    const { link, stream, clock } = this.#options
    const stop = new AbortController()
    const cancel = clock.after(deadline - clock.now(), () => stop.abort())
    try {
      await link.connected(stop.signal)
      if (!stop.signal.aborted) await stream.ensure()
    } catch {
      // The server is not ready: the next try tells.
      await new Promise<void>((resolve) => clock.after(PAUSE_MS, resolve))
    } finally {
      cancel()
    }
  }
}
