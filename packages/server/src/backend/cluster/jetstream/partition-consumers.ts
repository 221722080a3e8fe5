import { AckPolicy, type ConsumerInfo, JetStreamApiError } from '@nats-io/jetstream'
import { randomBytes } from 'node:crypto'
import type { NatsLink } from './nats-link.ts'

interface PartitionConsumersOptions {
  readonly streamName: string
  readonly subjects: readonly string[]
  readonly ackWaitMs: number
}

const NANOS_PER_MS = 1_000_000
/** The maximum number of unacked chunks of a partition, across all nodes. */
const MAX_ACK_PENDING = 512
/** The JetStream error if another node has added the consumer: a work queue allows one for each subject. */
const NOT_UNIQUE = 10_100

/** A consumer for each partition. A replacement gets a new name, so late messages for the old one are dropped. */
export class PartitionConsumers {
  readonly #link: NatsLink
  readonly #options: PartitionConsumersOptions
  readonly #infos = new Map<string, ConsumerInfo>()

  constructor(link: NatsLink, options: PartitionConsumersOptions) {
    this.#link = link
    this.#options = options
  }

  nameOf(partition: number): string {
    return this.#infos.get(this.#options.subjects[partition]!)?.name ?? ''
  }

  /**
   * Whether the last lookup found this consumer: if so, it was neither replaced nor lost with its
   * stream.
   */
  has(name: string): boolean {
    return [...this.#infos.values()].some((info) => info.name === name)
  }

  async find(): Promise<ReadonlyMap<string, ConsumerInfo>> {
    const infos = await this.#link.manager.consumers.list(this.#options.streamName).next()
    const bySubject = new Map(infos.map((info) => [info.config.filter_subject ?? '', info]))
    for (const [subject, info] of bySubject) this.#infos.set(subject, info)
    return bySubject
  }

  async ensure(): Promise<void> {
    const bySubject = await this.find()
    const missing = this.#options.subjects.filter((subject) => !bySubject.has(subject))
    for (const subject of missing) await this.#add(subject)
    if (missing.length > 0) await this.find()
  }

  async remove(name: string): Promise<void> {
    const { streamName } = this.#options
    await undefinedIf404(() => this.#link.manager.consumers.delete(streamName, name))
  }

  async #add(subject: string): Promise<void> {
    const { streamName, subjects, ackWaitMs } = this.#options
    const { consumers, streams } = this.#link.manager
    const { state } = await streams.info(streamName)
    const random = randomBytes(6).toString('hex')
    try {
      await consumers.add(streamName, {
        durable_name: `partition_${subjects.indexOf(subject)}_${state.last_seq}_${random}`,
        ack_policy: AckPolicy.Explicit,
        filter_subject: subject,
        ack_wait: ackWaitMs * NANOS_PER_MS,
        max_ack_pending: MAX_ACK_PENDING,
      })
    } catch (error) {
      if (!(error instanceof JetStreamApiError && error.code === NOT_UNIQUE)) throw error
    }
  }
}

/** Returns the last sequence that an earlier consumer may have delivered, from the name of this one. */
export function lastSequenceBefore(consumer: string): number {
  return Number(consumer.split('_')[2] ?? 0)
}

const NOT_FOUND = 404

/** Resolves to `undefined` if the server responds with 404. */
export async function undefinedIf404<T>(find: () => Promise<T>): Promise<T | undefined> {
  try {
    return await find()
  } catch (error) {
    if (error instanceof JetStreamApiError && error.status === NOT_FOUND) return undefined
    throw error
  }
}
