import type { Msg, NatsConnection } from '@nats-io/transport-node'
import { EventEmitter, once } from 'node:events'
import { EventAmount, type MaxAmount } from '../../accepted-event.ts'
import { ShortLivedMap } from '../../../util/short-lived.ts'
import type { LogEntry } from '../../log.ts'
import { eventsOfChunk } from './chunk.ts'
import { firstSequenceIn } from './log-stream.ts'
import { OUTBOX_ID } from './outbox.ts'
import { lastSequenceBefore } from './partition-consumers.ts'

/** No more entries are pulled beyond this amount. */
const MAX_HELD: MaxAmount = { events: 65_536, bytes: 64 * 1024 * 1024 }
/** Approximate number of events that the consumer gets in one batch. */
const BATCH_EVENTS = 8192
const CHANGE = 'change'

/** The entries that this node has pulled but not acked. Ready ones wait for the consumer. */
export class HeldEntries {
  readonly #streamName: string
  readonly #byKey = new ShortLivedMap<string, HeldEntry>()
  readonly #changes = new EventEmitter().setMaxListeners(0)
  readonly #amount = new EventAmount()
  #ready: HeldEntry[] = []

  constructor(streamName: string) {
    this.#streamName = streamName
  }

  /**
   * Adds the entry of a message. For a redelivered message, returns the existing entry, which is acked with the newer message
   * from then on.
   */
  receive(message: Msg): HeldEntry {
    const held = this.#byKey.get(keyOf(message))
    if (held !== undefined) {
      held.message = message
      return held
    }
    const entry = new HeldEntry(message, this.#streamName)
    this.#byKey.add(entry.key, entry)
    this.#amount.add(entry.events)
    this.#ready.push(entry)
    this.#changes.emit(CHANGE)
    return entry
  }

  /** Takes entries for the consumer, in order within each partition. */
  takeReady(): readonly HeldEntry[] {
    let events = 0
    let count = 0
    while (count < this.#ready.length && events < BATCH_EVENTS)
      events += this.#ready[count++]!.events.length
    return this.#ready.splice(0, count).toSorted((a, b) => a.sequence - b.sequence)
  }

  /** Returns the entries that the consumer has received but not acked. */
  unacked(): readonly HeldEntry[] {
    const ready = new Set(this.#ready)
    return this.all().filter((entry) => !entry.isDone && !ready.has(entry))
  }

  all(): readonly HeldEntry[] {
    return this.#byKey.values()
  }

  /** Returns `undefined` if it is not, or no longer, held. */
  find(entry: LogEntry): HeldEntry | undefined {
    return entry instanceof HeldEntry ? this.#byKey.get(entry.key) : undefined
  }

  drop(entry: HeldEntry): void {
    if (!this.#byKey.delete(entry.key)) return
    this.#amount.remove(entry.events)
    this.#changes.emit(CHANGE)
  }

  /** Releases ready entries, and those the consumer has not begun, to any node. */
  release(isBegun: (entry: LogEntry) => boolean): void {
    const idle = this.unacked().filter((entry) => !isBegun(entry))
    for (const entry of [...this.#ready.splice(0), ...idle]) {
      entry.release()
      this.drop(entry)
    }
  }

  ready(signal: AbortSignal): Promise<void> {
    return this.#until(() => this.#ready.length > 0, signal)
  }

  /** Resolves when there is room for more entries, or `signal` aborts. */
  room(signal: AbortSignal): Promise<void> {
    return this.#until(() => !this.#amount.isOver(MAX_HELD), signal)
  }

  async #until(condition: () => boolean, signal: AbortSignal): Promise<void> {
    while (!condition() && !signal.aborted)
      await once(this.#changes, CHANGE, { signal }).catch(() => undefined)
  }
}

const ACK = '+ACK'
const NAK = '-NAK'
const WORKING = '+WPI'

export class HeldEntry implements LogEntry {
  readonly events: LogEntry['events']
  declare readonly unreadable?: NonNullable<LogEntry['unreadable']>
  readonly key: string
  /** Its position in the log. An entry that was appended again keeps its first sequence. */
  readonly sequence: number
  redelivered: boolean
  isDone = false
  message: Msg

  constructor(message: Msg, streamName: string) {
    const { consumer, sequence, stamp, deliveries } = deliveryOf(message)
    const { data } = message
    const chunk = Buffer.from(data.buffer, data.byteOffset, data.byteLength)
    // With the time, because a recreated stream reuses sequences.
    const { events, unreadable } = eventsOfChunk(chunk, `${streamName}:${sequence}.${stamp}`)
    this.events = events
    if (unreadable !== undefined) this.unreadable = unreadable
    this.key = keyOf(message)
    const first = firstSequenceIn(message.headers)
    this.sequence = first ?? sequence
    this.redelivered =
      deliveries > 1 ||
      sequence <= lastSequenceBefore(consumer) ||
      first !== undefined ||
      isFromOutbox(message)
    this.message = message
  }

  get consumer(): string {
    return deliveryOf(this.message).consumer
  }

  async ack(connection: NatsConnection, timeoutMs: number): Promise<void> {
    await connection.request(this.message.reply!, ACK, { timeout: timeoutMs })
  }

  release(): void {
    this.message.respond(NAK)
  }

  keepAlive(): void {
    this.message.respond(WORKING)
  }
}

/** Equal for all deliveries of a message, and unique across streams of the same name. */
function keyOf(message: Msg): string {
  const { sequence, stamp } = deliveryOf(message)
  return `${sequence} ${stamp}`
}

/** The outbox may send a chunk twice, and chunks of moved data contain events that may have been processed before. */
function isFromOutbox({ headers }: Msg): boolean {
  return headers?.get(MESSAGE_ID).startsWith(OUTBOX_ID) ?? false
}

const MESSAGE_ID = 'Nats-Msg-Id'

/**
 * Parses the subject for acks: `$JS.ACK.<stream>.<consumer>.<deliveries>.<sequence>.<consumer's sequence>.<time>.<pending>`.
 * Newer servers have the domain and the account before the stream.
 */
function deliveryOf({ reply = '' }: Msg) {
  const tokens = reply.split('.')
  const first = tokens.length === SHORT_TOKENS ? 3 : 5
  const [consumer = '', deliveries, sequence, , stamp = ''] = tokens.slice(first)
  return { consumer, deliveries: Number(deliveries), sequence: Number(sequence), stamp }
}

const SHORT_TOKENS = 9
