import { AckPolicy, type ConsumerInfo, JetStreamApiError } from '@nats-io/jetstream'
import { randomBytes } from 'node:crypto'
import type { NatsLink } from './nats-link.ts'

interface PartitionConsumersOptions {
  readonly streamName: string
  /** By partition. */
  readonly subjects: readonly string[]
  readonly ackWaitMs: number
}

const NANOS_PER_MS = 1_000_000
/** Chunks of a partition that all nodes together may have in process. */
const MAX_ACK_PENDING = 512
/** The JetStream error if a work queue already has a consumer of these messages. */
const NOT_UNIQUE = 10_100

/**
 * The consumers of the stream, one for each partition. A replacement gets a new name, so late messages for the old one are dropped.
 * The server allows one consumer for each subject, so nodes that add one at the same time share it.
 */
export class PartitionConsumers {
  readonly #link: NatsLink
  readonly #options: PartitionConsumersOptions
  /** By subject, as of the last lookup. */
  readonly #infos = new Map<string, ConsumerInfo>()

  constructor(link: NatsLink, options: PartitionConsumersOptions) {
    this.#link = link
    this.#options = options
  }

  nameOf(partition: number): string {
    return this.#infos.get(this.#options.subjects[partition]!)?.name ?? ''
  }

  /** Whether the last lookup found this consumer: it is not replaced, and its stream not lost. */
  has(name: string): boolean {
    return [...this.#infos.values()].some((info) => info.name === name)
  }

  /** Returns the existing consumers by subject. */
  async find(): Promise<ReadonlyMap<string, ConsumerInfo>> {
    const infos = await this.#link.manager.consumers.list(this.#options.streamName).next()
    const found = new Map(infos.map((info) => [info.config.filter_subject ?? '', info]))
    for (const [subject, info] of found) this.#infos.set(subject, info)
    return found
  }

  /** Adds missing consumers. */
  async ensure(): Promise<void> {
    const found = await this.find()
    const missing = this.#options.subjects.filter((subject) => !found.has(subject))
    for (const subject of missing) await this.#add(subject)
    if (missing.length > 0) await this.find()
  }

  async remove(name: string): Promise<void> {
    const { streamName } = this.#options
    await foundOr404(() => this.#link.manager.consumers.delete(streamName, name))
  }

  async #add(subject: string): Promise<void> {
    const { streamName, subjects, ackWaitMs } = this.#options
    const { consumers, streams } = this.#link.manager
    const { state } = await streams.info(streamName)
    try {
      await consumers.add(streamName, {
        durable_name: newConsumerName(subjects.indexOf(subject), state.last_seq),
        ack_policy: AckPolicy.Explicit,
        filter_subject: subject,
        ack_wait: ackWaitMs * NANOS_PER_MS,
        max_ack_pending: MAX_ACK_PENDING,
      })
    } catch (error) {
      // Another node was faster.
      if (!(error instanceof JetStreamApiError && error.code === NOT_UNIQUE)) throw error
    }
  }
}

/** Returns a unique name: `partition_<partition>_<through>_<random>`. */
function newConsumerName(partition: number, through: number): string {
  return `partition_${partition}_${through}_${randomBytes(6).toString('hex')}`
}

/** Returns the last sequence that an earlier consumer may have delivered. */
export function throughOf(consumer: string): number {
  return Number(consumer.split('_')[2] ?? 0)
}

const NOT_FOUND = 404

/** Resolves to `undefined` if the server responds with 404. */
export async function foundOr404<T>(find: () => Promise<T>): Promise<T | undefined> {
  try {
    return await find()
  } catch (error) {
    if (error instanceof JetStreamApiError && error.status === NOT_FOUND) return undefined
    throw error
  }
}
