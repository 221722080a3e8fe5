import { DiscardPolicy, RetentionPolicy, StorageType, type StreamInfo } from '@nats-io/jetstream'
import { headers, type MsgHdrs } from '@nats-io/transport-node'
import { crc32 } from 'node:zlib'
import type { Clock } from '../../../util/time/clock.ts'
import type { Lag } from '../../upkeep.ts'
import { eventsOfChunk, MAX_EVENTS } from './chunk.ts'
import type { NatsLink } from './nats-link.ts'
import { lastSequenceBefore, PartitionConsumers, undefinedIf404 } from './partition-consumers.ts'

export interface LogStreamOptions {
  readonly prefix: string
  /**
   * The owner of the stream. `servers`: the NATS servers of its stream; `null` before the stream is
   * first created.
   */
  readonly installation: { readonly id: string; readonly servers: string | null }
  /** The number of copies of the stream: 1, 3 or 5. Defaults to 1. */
  readonly replicas?: number | undefined
  /** How long a chunk may be processed without a progress signal before it is redelivered. Defaults to 20 s. */
  readonly ackWaitMs?: number
}

export class StreamMismatchError extends Error {
  override readonly name = 'StreamMismatchError'
}

const INSTALLATION = 'hookline_installation'
const NANOS_PER_MS = 1_000_000
const ACK_WAIT_MS = 20_000
/** Each has a subject and a consumer. Never change the number: chunks would remain in unread partitions. */
const PARTITIONS = 4
/** How long the server stores ids of messages: longer than an append is retried. */
const DUPLICATE_WINDOW_MS = 120_000
const REMOVAL_MS = 500
const FIRST_MS = Date.UTC(2026, 0, 1)
/** The backlog is estimated from this many chunks. */
const COUNTED_CHUNKS = 4
const FIRST_SEQUENCE = 'Hookline-First-Sequence'

export interface StreamState {
  /** `events` is estimated from the first chunks. */
  readonly undecided: Lag
  /** Every event before this position is acked. */
  readonly ackedBefore: number
  readonly bytes: number
}

/** The first message in a partition, if it seems to be neither in progress nor next in line. */
export interface StuckMessage {
  readonly consumer: string
  readonly subject: string
  readonly sequence: number
  /** Whether its consumer counts it as pending. */
  readonly isCounted: boolean
}

/** The stream of one installation, with a consumer for each partition. A source has one partition, so its events keep their order. */
export class LogStream {
  readonly ackWaitMs: number
  readonly name: string
  readonly partitions: readonly number[] = Array.from({ length: PARTITIONS }, (_, index) => index)
  readonly consumers: PartitionConsumers
  readonly #link: NatsLink
  readonly #clock: Clock
  readonly #options: LogStreamOptions
  #base = 0
  /** Whether this node has found the stream before, and so may create it again. */
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

  partitionOf(sourceId: string): number {
    return crc32(sourceId) % PARTITIONS
  }

  subjectOf(partition: number): string {
    return `${this.#options.prefix}.log.${partition}`
  }

  /** Numbers a message across streams: numbers in a stream that replaces a lost one are greater. */
  numberOf(streamSequence: number): number {
    return this.#base + streamSequence
  }

  async lastNumber(): Promise<number> {
    const { state } = await this.#link.manager.streams.info(this.name)
    return this.numberOf(state.last_seq)
  }

  /** Creates the stream and its consumers if they are missing. @throws {StreamMismatchError} */
  ensure(): Promise<void> {
    return (this.#ensuring ??= this.#ensure().finally(() => (this.#ensuring = undefined)))
  }

  /** Returns messages that their consumer does not count, or that are unacked while nodes wait. Some may be in progress. */
  async stalled(): Promise<readonly StuckMessage[]> {
    const { streams } = this.#link.manager
    // Messages are counted before consumers are read, so later appends do not seem uncounted.
    const filter = { subjects_filter: this.#subjects }
    const { subjects = {}, first_seq: from } = (await streams.info(this.name, filter)).state
    const consumers = await this.consumers.find()
    const stalled: StuckMessage[] = []
    for (const [subject, { name, num_pending, num_ack_pending, num_waiting }] of consumers) {
      const isCounted = (subjects[subject] ?? 0) <= num_pending + num_ack_pending
      if (isCounted && (num_ack_pending === 0 || num_waiting === 0)) continue
      const query = { seq: from, next_by_subj: subject }
      const first = await streams.getMessage(this.name, query)
      if (first !== null) stalled.push({ consumer: name, subject, sequence: first.seq, isCounted })
    }
    return stalled
  }

  /** Replaces a consumer. The new one delivers every message that is not acked. */
  async replaceConsumer(name: string): Promise<void> {
    await this.consumers.remove(name)
    await this.ensure()
  }

  /** Re-appends messages that their consumer has skipped, once each. They keep their position, so a purge covers them. */
  async appendAgain({ consumer, subject, sequence }: StuckMessage): Promise<void> {
    const { manager, js } = this.#link
    const through = lastSequenceBefore(consumer)
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

  /** Describes the messages in the stream. None of them is acked. */
  async state(): Promise<StreamState> {
    const { streams } = this.#link.manager
    const { state } = await streams.info(this.name)
    let [chunks, events, next] = [0, 0, state.first_seq]
    let oldestAt: number | null = null
    while (chunks < Math.min(state.messages, COUNTED_CHUNKS)) {
      const query = { seq: next, next_by_subj: '>' }
      const message = await streams.getMessage(this.name, query)
      if (message === null) break
      const chunk = eventsOfChunk(Buffer.from(message.data), this.name)
      const times = chunk.events.map(({ receivedAt }) => receivedAt)
      // A corrupt chunk counts from when it was appended.
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
    const info = await undefinedIf404(() => streams.info(this.name))
    if (info === undefined) this.#refuseOtherServers()
    const { created, config } = info ?? (await this.#addStream())
    this.#refuseOtherInstallation(config.metadata?.[INSTALLATION])
    this.#isFound = true
    // Never fewer: a node with the previous setting must not remove copies.
    const { replicas = 1 } = this.#options
    if (config.num_replicas < replicas) await streams.update(this.name, { num_replicas: replicas })
    // Two per millisecond: more than the average rate of chunks, and small enough for safe integers.
    this.#base = Math.max(0, Date.parse(created) - FIRST_MS) * 2
    await this.consumers.ensure()
  }

  #refuseOtherServers(): void {
    const { id, servers } = this.#options.installation
    if (servers === null || this.#isFound) return
    throw new StreamMismatchError(
      `The log of installation ${id} is the stream ${this.name} on the NATS servers ${servers}, but ${this.#link.servers} ` +
        'has no such stream. Correct HOOKLINE_NATS_URL. If the stream is lost, or the database is a copy for another ' +
        'installation, see docs/guides/cluster.md, "A new stream".',
    )
  }

  #refuseOtherInstallation(found = 'none'): void {
    const { id } = this.#options.installation
    if (found === id) return
    throw new StreamMismatchError(
      `The stream ${this.name} on ${this.#link.servers} belongs to installation ${found}, and the database to installation ` +
        `${id}. Use a different HOOKLINE_NATS_PREFIX, or different NATS servers, for each installation.`,
    )
  }

  async #addStream(): Promise<StreamInfo> {
    // The server may still be removing the files of a lost stream, and could remove new ones with them.
    if (this.#base > 0) await new Promise<void>((resolve) => this.#clock.after(REMOVAL_MS, resolve))
    return await this.#link.manager.streams.add({
      name: this.name,
      subjects: [this.#subjects],
      retention: RetentionPolicy.Workqueue,
      storage: StorageType.File,
      discard: DiscardPolicy.New,
      num_replicas: this.#options.replicas ?? 1,
      duplicate_window: DUPLICATE_WINDOW_MS * NANOS_PER_MS,
      metadata: { [INSTALLATION]: this.#options.installation.id },
    })
  }
}

/** Returns the sequence of a message before it was appended again; `undefined` if it was not. */
export function firstSequenceIn(header: MsgHdrs | undefined): number | undefined {
  const sequence = Number(header?.get(FIRST_SEQUENCE))
  return sequence > 0 ? sequence : undefined
}
