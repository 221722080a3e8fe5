import type { Msg, NatsConnection } from '@nats-io/transport-node'
import type { LogEntry } from '../../log.ts'
import { firstSequenceIn } from './append-again.ts'
import { eventsOfChunk } from './chunk.ts'
import { throughOf } from './consumer-name.ts'
import { OUTBOX_ID } from './outbox-id.ts'

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
export function keyOf(message: Msg): string {
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
