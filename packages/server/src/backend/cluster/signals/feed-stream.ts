import { DiscardPolicy, RetentionPolicy, StorageType, type StreamInfo } from '@nats-io/jetstream'
import { createHash } from 'node:crypto'
import { foundOr404 } from '../jetstream/found-or-404.ts'
import type { NatsLink } from '../jetstream/nats-link.ts'

const NANOS_PER_MS = 1_000_000
const KEPT_MS = 60 * 60_000
/** Some ten thousand activities. */
const MOST_BYTES = 16 * 1024 * 1024
const MOST_MESSAGES = 20_000
/** Positions of one message: more than it has values. */
const POSITIONS = 1_024
const RUN_CHARACTERS = 8

/** The stream as it is now. */
export interface FeedState {
  /** Names its order: another one for a stream that was made again. */
  readonly run: string
  /** The position before the first message. */
  readonly before: number
  /** The sequence of the last message; 0 where it has none. */
  readonly last: number
}

/**
 * The newest messages of a subject, in the memory of NATS, for followers that come: a stream numbers them, so all nodes agree
 * on their order. They are published as on any subject of NATS core, and nobody waits for the stream.
 */
export class FeedStream {
  readonly name: string
  readonly subject: string
  readonly #link: NatsLink
  readonly #replicas: number

  constructor(link: NatsLink, { prefix, replicas }: { prefix: string; replicas: number }) {
    this.#link = link
    this.#replicas = replicas
    this.name = `${prefix}_live`
    this.subject = `${prefix}.live`
  }

  /** Makes it where it is missing. */
  async ensure(): Promise<FeedState> {
    return stateOf((await this.#find()) ?? (await this.#add()))
  }

  /** Names its order; `undefined` where it is missing. */
  async run(): Promise<string | undefined> {
    const info = await this.#find()
    return info && runOf(info)
  }

  /** Removes all messages. */
  async empty(): Promise<void> {
    await foundOr404(() => this.#link.manager.streams.purge(this.name))
  }

  #find(): Promise<StreamInfo | undefined> {
    return foundOr404(() => this.#link.manager.streams.info(this.name))
  }

  #add(): Promise<StreamInfo> {
    return this.#link.manager.streams.add({
      name: this.name,
      subjects: [this.subject],
      retention: RetentionPolicy.Limits,
      storage: StorageType.Memory,
      discard: DiscardPolicy.Old,
      num_replicas: this.#replicas,
      max_age: KEPT_MS * NANOS_PER_MS,
      max_bytes: MOST_BYTES,
      max_msgs: MOST_MESSAGES,
      no_ack: true,
    })
  }
}

/** The last value of a message has its last position, so that nothing lies between it and the next message. */
export function positionOf(sequence: number, index: number, count: number): number {
  return sequence * POSITIONS + (POSITIONS - 1) - (count - 1 - index)
}

function stateOf({ created, state }: StreamInfo): FeedState {
  const first = state.messages === 0 ? state.last_seq + 1 : state.first_seq
  return {
    run: runOf({ created }),
    before: positionOf(first - 1, 0, 1),
    last: state.messages === 0 ? 0 : state.last_seq,
  }
}

function runOf({ created }: Pick<StreamInfo, 'created'>): string {
  return createHash('sha256').update(created).digest('hex').slice(0, RUN_CHARACTERS)
}
