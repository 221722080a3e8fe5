import { AckPolicy, type ConsumerInfo, JetStreamApiError } from '@nats-io/jetstream'
import { randomBytes } from 'node:crypto'
import type { NatsLink } from './nats-link.ts'

interface PartitionConsumersOptions {
  readonly streamName: string
  /** The subject of each partition. */
  readonly subjects: readonly string[]
  readonly ackWaitMs: number
}

const NANOS_PER_MS = 1_000_000
/** Chunks of a partition that all nodes together may have in process. */
const MAX_ACK_PENDING = 512
/** The code of JetStream where a work queue has a consumer of the same messages. */
const NOT_UNIQUE = 10_100

/**
 * The consumers of the stream, one for each partition, whoever has made them. One that is made in place of another one has
 * another name: what is meant for the former one reaches nothing, also where the stream is another one. The server allows one
 * for each subject, so that nodes that make one at once end with the same.
 */
export class PartitionConsumers {
  readonly #link: NatsLink
  readonly #options: PartitionConsumersOptions
  /** By subject, as the server last told. */
  readonly #infos = new Map<string, ConsumerInfo>()

  constructor(link: NatsLink, options: PartitionConsumersOptions) {
    this.#link = link
    this.#options = options
  }

  nameOf(partition: number): string {
    return this.#infos.get(this.#options.subjects[partition]!)?.name ?? ''
  }

  /** Whether this consumer was there when they were last looked up: it is not replaced, and its stream not lost. */
  has(name: string): boolean {
    return [...this.#infos.values()].some((info) => info.name === name)
  }

  /** Those that there are, by subject. */
  async find(): Promise<ReadonlyMap<string, ConsumerInfo>> {
    const infos = await this.#link.manager.consumers.list(this.#options.streamName).next()
    const found = new Map(infos.map((info) => [info.config.filter_subject ?? '', info]))
    for (const [subject, info] of found) this.#infos.set(subject, info)
    return found
  }

  /** Makes those that are missing. */
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
    // Now that there is no consumer, nothing more is handed out.
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

/** A name that no consumer had before: `partition_<partition>_<through>_<random>`. */
function newConsumerName(partition: number, through: number): string {
  return `partition_${partition}_${through}_${randomBytes(6).toString('hex')}`
}

/** A former consumer may have handed out what is in the stream up to this sequence. */
export function throughOf(consumer: string): number {
  return Number(consumer.split('_')[2] ?? 0)
}

const NOT_FOUND = 404

/** What the server answers; `undefined` where it does not have it. */
export async function foundOr404<T>(find: () => Promise<T>): Promise<T | undefined> {
  try {
    return await find()
  } catch (error) {
    if (error instanceof JetStreamApiError && error.status === NOT_FOUND) return undefined
    throw error
  }
}
