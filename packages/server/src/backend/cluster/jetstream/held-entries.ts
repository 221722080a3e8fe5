import type { Msg, NatsConnection } from '@nats-io/transport-node'
import { EventAmount, type MaxAmount } from '../../accepted-event.ts'
import type { LogEntry } from '../../log.ts'
import { eventsOfChunk } from './chunk.ts'
import { firstSequenceIn } from './log-stream.ts'
import { OUTBOX_ID } from './outbox.ts'
import { throughOf } from './partition-consumers.ts'

/** Entries beyond which no more are asked for. */
const MAX_HELD: MaxAmount = { events: 65_536, bytes: 64 * 1024 * 1024 }
/** Events that are handed out at once, about. */
const HANDED_EVENTS = 8192

/** The entries that this node has pulled and that are not acked. Those that are ready wait for the consumer. */
export class HeldEntries {
  readonly #streamName: string
  readonly #byKey = new Map<string, HeldEntry>()
  readonly #keys = new WeakMap<LogEntry, string>()
  readonly #waiting = new Set<() => void>()
  #ready: HeldEntry[] = []
  readonly #amount = new EventAmount()

  constructor(streamName: string) {
    this.#streamName = streamName
  }

  /**
   * Takes what the server has handed out. An entry that is here already is in process: only the subject for its ack is
   * another one.
   */
  receive(message: Msg): HeldEntry {
    const key = keyOf(message)
    const held = this.#byKey.get(key)
    if (held !== undefined) {
      held.deliveredAgain(message)
      return held
    }
    const entry = new HeldEntry(message, this.#streamName)
    this.#byKey.set(key, entry)
    this.#keys.set(entry, key)
    this.#amount.add(entry.events)
    this.#ready.push(entry)
    this.#wake()
    return entry
  }

  /** Entries for the consumer, those of one partition in their order. */
  takeReady(): readonly HeldEntry[] {
    let events = 0
    let count = 0
    while (count < this.#ready.length && events < HANDED_EVENTS)
      events += this.#ready[count++]!.events.length
    return this.#ready.splice(0, count).toSorted((a, b) => a.sequence - b.sequence)
  }

  /** What the consumer was handed, and has not acked. */
  handedOut(): readonly HeldEntry[] {
    const ready = new Set(this.#ready)
    return this.all().filter((entry) => !entry.isDone && !ready.has(entry))
  }

  all(): readonly HeldEntry[] {
    return [...this.#byKey.values()]
  }

  /** The entry as it is held; `undefined` where it is not, or no longer. */
  find(entry: LogEntry): HeldEntry | undefined {
    const key = this.#keys.get(entry)
    return key === undefined ? undefined : this.#byKey.get(key)
  }

  drop(entry: HeldEntry): void {
    if (!this.#byKey.delete(this.#keys.get(entry)!)) return
    this.#amount.remove(entry.events)
    this.#wake()
  }

  /** Gives back what waits for the consumer and what it has not begun, for any node. */
  release(isBegun: (entry: LogEntry) => boolean): void {
    const idle = this.handedOut().filter((entry) => !isBegun(entry))
    for (const entry of [...this.#ready.splice(0), ...idle]) {
      entry.release()
      this.drop(entry)
    }
  }

  /** Resolves when an entry is ready, or `signal` aborts. */
  ready(signal: AbortSignal): Promise<void> {
    return this.#until(() => this.#ready.length > 0, signal)
  }

  /** Resolves when there is room for more, or `signal` aborts. */
  room(signal: AbortSignal): Promise<void> {
    return this.#until(() => !this.#amount.isOver(MAX_HELD), signal)
  }

  async #until(condition: () => boolean, signal: AbortSignal): Promise<void> {
    while (!condition() && !signal.aborted) {
      const { promise, resolve } = Promise.withResolvers<void>()
      const wake = (): void => resolve()
      this.#waiting.add(wake)
      signal.addEventListener('abort', wake, { once: true })
      await promise
      signal.removeEventListener('abort', wake)
      this.#waiting.delete(wake)
    }
  }

  #wake(): void {
    for (const wake of this.#waiting) wake()
  }
}

const ACK = '+ACK'
const NAK = '-NAK'
const WORKING = '+WPI'

/** An entry that this node has and that is not acked: its events, and where the server hears of it. */
export class HeldEntry implements LogEntry {
  readonly events: LogEntry['events']
  declare readonly unreadable?: NonNullable<LogEntry['unreadable']>
  /** Its place in the log: the sequence that it had first, where it was appended again. */
  readonly sequence: number
  redelivered: boolean
  /** Whether its processing has ended. */
  isDone = false
  #message: Msg

  constructor(message: Msg, streamName: string) {
    const { consumer, sequence, stamp, deliveries } = deliveryOf(message)
    const { data } = message
    const chunk = Buffer.from(data.buffer, data.byteOffset, data.byteLength)
    // With the time: a stream that was made again gives its numbers to other messages.
    const { events, unreadable } = eventsOfChunk(chunk, `${streamName}:${sequence}.${stamp}`)
    this.events = events
    if (unreadable !== undefined) this.unreadable = unreadable
    const first = firstSequenceIn(message.headers)
    this.sequence = first ?? sequence
    this.redelivered =
      deliveries > 1 ||
      sequence <= throughOf(consumer) ||
      first !== undefined ||
      isFromOutbox(message)
    this.#message = message
  }

  /** The consumer of the stream that has handed it out. */
  get consumer(): string {
    return deliveryOf(this.#message).consumer
  }

  /** The server has handed it out once more: it hears of that delivery from now on. */
  deliveredAgain(message: Msg): void {
    this.#message = message
  }

  /** Resolves when the server has confirmed it. */
  async ack(connection: NatsConnection, timeoutMs: number): Promise<void> {
    await connection.request(this.#message.reply!, ACK, { timeout: timeoutMs })
  }

  /** Any node may get it now. */
  release(): void {
    this.#message.respond(NAK)
  }

  /** It is still in process. */
  keepAlive(): void {
    this.#message.respond(WORKING)
  }
}

/** The same for all deliveries of one message, and for no message of another stream of the same name. */
function keyOf(message: Msg): string {
  const { sequence, stamp } = deliveryOf(message)
  return `${sequence} ${stamp}`
}

/** An outbox sends a chunk again where it cannot know that it has, and one of moved data has events that were decided before. */
function isFromOutbox({ headers }: Msg): boolean {
  return headers?.get(MESSAGE_ID).startsWith(OUTBOX_ID) ?? false
}

const MESSAGE_ID = 'Nats-Msg-Id'

interface Delivery {
  readonly consumer: string
  readonly deliveries: number
  readonly sequence: number
  readonly stamp: string
}

/**
 * What the subject for acks tells: `$JS.ACK.<stream>.<consumer>.<deliveries>.<sequence>.<consumer's sequence>.<time>.<pending>`,
 * in newer servers with the domain and the account before the stream.
 */
function deliveryOf({ reply = '' }: Msg): Delivery {
  const tokens = reply.split('.')
  const first = tokens.length === SHORT_TOKENS ? 3 : 5
  const [consumer = '', deliveries, sequence, , stamp = ''] = tokens.slice(first)
  return { consumer, deliveries: Number(deliveries), sequence: Number(sequence), stamp }
}

const SHORT_TOKENS = 9
