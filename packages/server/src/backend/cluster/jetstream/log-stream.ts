import {
  type ConsumerInfo,
  DiscardPolicy,
  RetentionPolicy,
  StorageType,
  type StreamInfo,
} from '@nats-io/jetstream'
import { headers, type MsgHdrs } from '@nats-io/transport-node'
import { crc32 } from 'node:zlib'
import type { Clock } from '../../../util/time/clock.ts'
import type { Behind } from '../../upkeep.ts'
import { eventsOfChunk, MAX_EVENTS } from './chunk.ts'
import type { NatsLink } from './nats-link.ts'
import { foundOr404, PartitionConsumers, throughOf } from './partition-consumers.ts'

/** The database that a stream of JetStream has to belong to. */
interface Installation {
  readonly id: string
  /** The NATS servers that have its stream; `null` while the stream was never made. */
  readonly servers: string | null
}

export interface LogStreamOptions {
  /** Begins the names. */
  readonly prefix: string
  readonly installation: Installation
  /** Copies of the stream: 1, 3 or 5. */
  readonly replicas?: number | undefined
  /** How long a chunk may be in process without a sign of life before another node gets it. */
  readonly ackWaitMs?: number
}

/** The stream is not that of the database. */
export class StreamMismatch extends Error {
  override readonly name = 'StreamMismatch'
}

/** In the metadata of the stream: the id of its installation. */
const INSTALLATION = 'hookline_installation'
const NANOS_PER_MS = 1_000_000
/** As long as claims and leases last. */
const ACK_WAIT_MS = 20_000
/** Subjects, and with each a consumer. A number that ever changes leaves chunks in partitions that nobody reads. */
const PARTITIONS = 4
/** For how long the server knows the ids of messages: longer than an append tries again. */
const DUPLICATE_WINDOW_MS = 120_000
/** How long a server may take to remove a stream. */
const REMOVAL_MS = 500
/** Positions begin here: 2026 in milliseconds since the epoch. */
const FIRST_MS = Date.UTC(2026, 0, 1)

/** Chunks whose events are counted. */
const COUNTED_CHUNKS = 4
/** Of a message that was appended again: the sequence that it had first. */
const FIRST_SEQUENCE = 'Hookline-First-Sequence'

export interface StreamState {
  /** Counted in the first chunks. The others are taken to be as full. */
  readonly undecided: Behind
  /** Every event whose position is before this one is acked. */
  readonly ackedBefore: number
  readonly bytes: number
}

/** The first message of a partition, where no node seems to have it or to get it next. */
export interface RestingMessage {
  readonly consumer: string
  readonly subject: string
  readonly sequence: number
  /** Whether its consumer counts it among those that it hands out or waits an ack for. */
  readonly isCounted: boolean
}

/**
 * The stream of the log, and its consumers: one for each partition. A source has one partition, so that its events keep
 * their order. The stream is of one installation: a node uses no other one.
 */
export class LogStream {
  readonly ackWaitMs: number
  readonly name: string
  readonly consumers: PartitionConsumers
  readonly #link: NatsLink
  readonly #clock: Clock
  readonly #options: LogStreamOptions
  #base = 0
  /** Whether this node has seen the stream: then it makes a lost one again. */
  #isFound = false
  #ensuring: Promise<void> | undefined

  constructor(link: NatsLink, clock: Clock, options: LogStreamOptions) {
    this.#link = link
    this.#clock = clock
    this.#options = options
    this.ackWaitMs = options.ackWaitMs ?? ACK_WAIT_MS
    this.name = `${options.prefix}_log`
    this.consumers = new PartitionConsumers(link, {
      streamName: this.name,
      subjects: this.partitions.map((partition) => this.subjectOf(partition)),
      ackWaitMs: this.ackWaitMs,
    })
  }

  get partitions(): readonly number[] {
    return Array.from({ length: PARTITIONS }, (_, partition) => partition)
  }

  partitionOf(sourceId: string): number {
    return crc32(sourceId) % PARTITIONS
  }

  subjectOf(partition: number): string {
    return `${this.#options.prefix}.log.${partition}`
  }

  /**
   * The number of a message of the stream among the messages of all streams that there ever were: a stream that is made
   * again begins beyond those of the one that was lost.
   */
  numberOf(streamSequence: number): number {
    return this.#base + streamSequence
  }

  consumerInfo(partition: number): Promise<ConsumerInfo> {
    return this.#link.manager.consumers.info(this.name, this.consumers.nameOf(partition))
  }

  /** The number of the last message that was appended. */
  async lastNumber(): Promise<number> {
    const { state } = await this.#link.manager.streams.info(this.name)
    return this.numberOf(state.last_seq)
  }

  /**
   * Makes the stream and its consumers where they are missing.
   * @throws {StreamMismatch} where the stream is of another installation, or was made on other servers
   */
  ensure(): Promise<void> {
    return (this.#ensuring ??= this.#ensure().finally(() => (this.#ensuring = undefined)))
  }

  /**
   * Messages that no consumer seems to hand out or to wait an ack for, and such that were handed out while nodes ask for more. What
   * is acked in between, or is in process, seems so, too. The messages are counted first: what is appended later is then no
   * more than the consumer counts.
   */
  async resting(): Promise<readonly RestingMessage[]> {
    const { streams } = this.#link.manager
    const filter = { subjects_filter: this.#subjects }
    const { subjects = {}, first_seq: from } = (await streams.info(this.name, filter)).state
    const consumers = await this.consumers.find()
    const resting: RestingMessage[] = []
    for (const [subject, { name, num_pending, num_ack_pending, num_waiting }] of consumers) {
      const isCounted = (subjects[subject] ?? 0) <= num_pending + num_ack_pending
      if (isCounted && (num_ack_pending === 0 || num_waiting === 0)) continue
      const query = { seq: from, next_by_subj: subject }
      const first = await streams.getMessage(this.name, query)
      if (first !== null) resting.push({ consumer: name, subject, sequence: first.seq, isCounted })
    }
    return resting
  }

  /** Makes another consumer in place of this one. It hands out all that is not acked. */
  async replaceConsumer(name: string): Promise<void> {
    await this.consumers.remove(name)
    await this.ensure()
  }

  /**
   * Appends messages again that their consumer has not counted, though it hands out all that was there when it was made, and removes
   * them: where all servers of a cluster were killed at once, some may have them and others not. They keep their place in the log,
   * so that a purge that covers them still does. Nodes that do so at once store each of them once.
   */
  async appendAgain({ consumer, subject, sequence }: RestingMessage): Promise<void> {
    const { manager, js } = this.#link
    const through = throughOf(consumer)
    for (let next = sequence; ;) {
      const query = { seq: next, next_by_subj: subject }
      const message = await manager.streams.getMessage(this.name, query)
      if (message === null || message.seq > through) return
      const header = headers()
      header.set(FIRST_SEQUENCE, String(firstSequenceIn(message.header) ?? message.seq))
      const msgID = `again.${message.seq}.${message.time.getTime()}`
      await js.publish(subject, message.data, { msgID, headers: header })
      await manager.streams.deleteMessage(this.name, message.seq, false)
      next = message.seq + 1
    }
  }

  /** What is in the stream: what is not acked. */
  async state(): Promise<StreamState> {
    const { streams } = this.#link.manager
    const { state } = await streams.info(this.name)
    let [chunks, events, next] = [0, 0, state.first_seq]
    let oldestAt: number | null = null
    while (chunks < Math.min(state.messages, COUNTED_CHUNKS)) {
      const query = { seq: next, next_by_subj: '>' }
      const message = await streams.getMessage(this.name, query)
      // It was acked meanwhile, and nothing comes after it.
      if (message === null) break
      const chunk = eventsOfChunk(Buffer.from(message.data), this.name)
      const times = chunk.events.map(({ receivedAt }) => receivedAt)
      // A damaged chunk counts from when it was appended.
      if (chunks === 0) oldestAt = times.length > 0 ? Math.min(...times) : message.time.getTime()
      chunks++
      events += times.length
      next = message.seq + 1
    }
    const all = chunks < COUNTED_CHUNKS ? events : Math.round((events / chunks) * state.messages)
    return {
      undecided: { events: all, oldestAt },
      ackedBefore: this.numberOf(state.first_seq) * MAX_EVENTS,
      bytes: state.bytes,
    }
  }

  get #subjects(): string {
    return `${this.#options.prefix}.log.*`
  }

  async #ensure(): Promise<void> {
    const { streams } = this.#link.manager
    const found = await foundOr404(() => streams.info(this.name))
    if (found === undefined) this.#refuseOtherServers()
    const { created, config } = found ?? (await this.#addStream())
    this.#refuseOtherInstallation(config.metadata?.[INSTALLATION])
    this.#isFound = true
    // Never fewer: a node that still has the former setting must not take away copies.
    const { replicas = 1 } = this.#options
    if (config.num_replicas < replicas) await streams.update(this.name, { num_replicas: replicas })
    // Two for each millisecond: more than there are chunks in the long run, and small enough for exact numbers.
    this.#base = Math.max(0, Date.parse(created) - FIRST_MS) * 2
    await this.consumers.ensure()
  }

  #refuseOtherServers(): void {
    const { id, servers } = this.#options.installation
    if (servers === null || this.#isFound) return
    throw new StreamMismatch(
      `The log of installation ${id} is the stream ${this.name} on the NATS servers ${servers}, but ${this.#link.servers} ` +
        'has no such stream. Correct HOOKLINE_NATS_URL. If the stream is lost, or the database is a copy for another ' +
        'installation, see docs/guides/cluster.md, "A new stream".',
    )
  }

  #refuseOtherInstallation(found = 'none'): void {
    const { id } = this.#options.installation
    if (found === id) return
    throw new StreamMismatch(
      `The stream ${this.name} on ${this.#link.servers} belongs to installation ${found}, and the database to installation ` +
        `${id}. Give each installation a HOOKLINE_NATS_PREFIX of its own, or NATS servers of its own.`,
    )
  }

  async #addStream(): Promise<StreamInfo> {
    // Where there was one, the server may still be removing its files, and those of the new one with them.
    if (this.#base > 0) await new Promise<void>((resolve) => this.#clock.after(REMOVAL_MS, resolve))
    return await this.#link.manager.streams.add(this.#streamConfig())
  }

  #streamConfig() {
    return {
      name: this.name,
      subjects: [this.#subjects],
      retention: RetentionPolicy.Workqueue,
      storage: StorageType.File,
      discard: DiscardPolicy.New,
      num_replicas: this.#options.replicas ?? 1,
      duplicate_window: DUPLICATE_WINDOW_MS * NANOS_PER_MS,
      metadata: { [INSTALLATION]: this.#options.installation.id },
    }
  }
}

/** The sequence that a message had before it was appended again; `undefined` of one that was not. */
export function firstSequenceIn(header: MsgHdrs | undefined): number | undefined {
  const sequence = Number(header?.get(FIRST_SEQUENCE))
  return sequence > 0 ? sequence : undefined
}
