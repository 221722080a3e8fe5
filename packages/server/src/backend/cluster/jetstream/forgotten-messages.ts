import { JetStreamApiError } from '@nats-io/jetstream'
import type { Clock } from '../../../util/time/clock.ts'
import type { LogStream } from './log-stream.ts'
import type { NatsLink } from './nats-link.ts'

export interface ForgottenMessagesOptions {
  readonly link: NatsLink
  readonly stream: LogStream
  readonly clock: Clock
}

/** How often it looks: a forgotten message comes again within two looks. */
const EVERY_MS = 5_000

/**
 * Finds messages of the stream that its consumers have forgotten, and makes those consumers anew: then everything that is
 * stored comes again, to any node.
 *
 * The server writes the state of a consumer to disk a moment after it has changed, and apart from the stream. So after
 * `kill -9` a consumer may take messages for acked that are still stored: nobody would ever get them. Such a message is not
 * beyond the consumer's `ack_floor`. An ack that is on its way removes its message from both a moment apart, so it must be the
 * same message in two looks.
 */
export class ForgottenMessages implements Disposable {
  readonly #options: ForgottenMessagesOptions
  /** By partition: the message that was found by the look before. */
  readonly #suspected = new Map<number, number>()
  #cancel: () => void = () => undefined
  #isOver = false

  constructor(options: ForgottenMessagesOptions) {
    this.#options = options
    this.#lookLater()
  }

  [Symbol.dispose](): void {
    this.#isOver = true
    this.#cancel()
  }

  #lookLater(): void {
    if (this.#isOver) return
    this.#cancel = this.#options.clock.after(EVERY_MS, () => {
      // What cannot be found out now is found out by a later look.
      const looked = this.#look().catch(() => undefined)
      void looked.then(() => this.#lookLater())
    })
  }

  async #look(): Promise<void> {
    const { link, stream } = this.#options
    if (!link.isConnected) return
    for (const partition of stream.partitions) {
      const forgotten = await this.#forgottenIn(partition)
      const isCertain = forgotten !== undefined && forgotten === this.#suspected.get(partition)
      if (forgotten === undefined || isCertain) this.#suspected.delete(partition)
      else this.#suspected.set(partition, forgotten)
      if (isCertain) await stream.renewConsumer(partition)
    }
  }

  /** The sequence of the first message of the partition, where its consumer takes it for acked. */
  async #forgottenIn(partition: number): Promise<number | undefined> {
    const first = await this.#firstOf(partition)
    if (first === undefined) return undefined
    const { ack_floor } = await this.#options.stream.consumerInfo(partition)
    return first <= ack_floor.stream_seq ? first : undefined
  }

  async #firstOf(partition: number): Promise<number | undefined> {
    const { link, stream } = this.#options
    const query = { seq: 1, next_by_subj: stream.subjectOf(partition) }
    try {
      return (await link.manager.streams.getMessage(stream.name, query))?.seq
    } catch (error) {
      if (error instanceof JetStreamApiError) return undefined
      throw error
    }
  }
}
