import {
  AckPolicy,
  type ConsumerInfo,
  DiscardPolicy,
  JetStreamApiError,
  RetentionPolicy,
  StorageType,
  type StreamInfo,
} from '@nats-io/jetstream'
import { crc32 } from 'node:zlib'
import type { Clock } from '../../../util/time/clock.ts'
import type { NatsLink } from './nats-link.ts'

export interface LogStreamOptions {
  /** Begins the names. */
  readonly prefix: string
  /** Copies of the stream: 1, 3 or 5. */
  readonly replicas?: number
  /** How long a chunk may be in process without a sign of life before another node gets it. */
  readonly ackWaitMs?: number
}

const NANOS_PER_MS = 1_000_000
/** Subjects, and with each a consumer. A number that ever changes leaves chunks in partitions that nobody reads. */
const PARTITIONS = 4
/** For how long the server knows the ids of messages: longer than an append tries again. */
const DUPLICATE_WINDOW_MS = 120_000
/** Chunks of a partition that all nodes together may have in process. */
const MAX_ACK_PENDING = 512
/** How long a server may take to remove a stream. */
const REMOVAL_MS = 500
const NOT_FOUND = 404
/** Positions begin here: 2026 in milliseconds since the epoch. */
const FIRST_MS = Date.UTC(2026, 0, 1)

/**
 * The stream of the log, and its consumers: one for each partition. A source has one partition, so that its events keep
 * their order. Only what a server of 2.9 has: one filter for each consumer, no metadata.
 */
export class LogStream {
  readonly ackWaitMs: number
  readonly name: string
  readonly #link: NatsLink
  readonly #clock: Clock
  readonly #options: LogStreamOptions
  #base = 0
  #ensuring: Promise<void> | undefined

  constructor(link: NatsLink, clock: Clock, options: LogStreamOptions) {
    this.#link = link
    this.#clock = clock
    this.#options = options
    this.ackWaitMs = options.ackWaitMs ?? 30_000
    this.name = `${options.prefix}_log`
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

  consumerOf(partition: number): string {
    return `partition_${partition}`
  }

  /**
   * The number of a message of the stream among the messages of all streams that there ever were: a stream that is made
   * again begins beyond those of the one that was lost.
   */
  numberOf(streamSequence: number): number {
    return this.#base + streamSequence
  }

  consumerInfo(partition: number): Promise<ConsumerInfo> {
    return this.#link.manager.consumers.info(this.name, this.consumerOf(partition))
  }

  /** The number of the last message that was appended. */
  async lastNumber(): Promise<number> {
    const { state } = await this.#link.manager.streams.info(this.name)
    return this.numberOf(state.last_seq)
  }

  /** Makes a consumer anew: it hands out everything of its partition that is stored. */
  async renewConsumer(partition: number): Promise<void> {
    await this.#link.manager.consumers.delete(this.name, this.consumerOf(partition))
    await this.ensure()
  }

  /** Makes the stream and its consumers where they are missing. */
  ensure(): Promise<void> {
    return (this.#ensuring ??= this.#ensure().finally(() => (this.#ensuring = undefined)))
  }

  async #ensure(): Promise<void> {
    const { streams } = this.#link.manager
    const found = await foundOr404(() => streams.info(this.name))
    const { created, config } = found ?? (await this.#addStream())
    // Never fewer: a node that still has the former setting must not take away copies.
    const { replicas = 1 } = this.#options
    if (config.num_replicas < replicas) await streams.update(this.name, { num_replicas: replicas })
    // Two for each millisecond: more than there are chunks in the long run, and small enough for exact numbers.
    this.#base = Math.max(0, Date.parse(created) - FIRST_MS) * 2
    for (const partition of this.partitions) await this.#ensureConsumer(partition)
  }

  async #addStream(): Promise<StreamInfo> {
    // Where there was one, the server may still be removing its files, and those of the new one with them.
    if (this.#base > 0) await new Promise<void>((resolve) => this.#clock.after(REMOVAL_MS, resolve))
    return await this.#link.manager.streams.add(this.#streamConfig())
  }

  #streamConfig() {
    return {
      name: this.name,
      subjects: [`${this.#options.prefix}.log.*`],
      retention: RetentionPolicy.Workqueue,
      storage: StorageType.File,
      discard: DiscardPolicy.New,
      num_replicas: this.#options.replicas ?? 1,
      duplicate_window: DUPLICATE_WINDOW_MS * NANOS_PER_MS,
    }
  }

  async #ensureConsumer(partition: number): Promise<void> {
    if (await foundOr404(() => this.consumerInfo(partition))) return
    await this.#link.manager.consumers.add(this.name, {
      durable_name: this.consumerOf(partition),
      ack_policy: AckPolicy.Explicit,
      filter_subject: this.subjectOf(partition),
      ack_wait: this.ackWaitMs * NANOS_PER_MS,
      max_ack_pending: MAX_ACK_PENDING,
    })
  }
}

async function foundOr404<T>(find: () => Promise<T>): Promise<T | undefined> {
  try {
    return await find()
  } catch (error) {
    if (error instanceof JetStreamApiError && error.status === NOT_FOUND) return undefined
    throw error
  }
}
