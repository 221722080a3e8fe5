import type { ConsumerMessages } from '@nats-io/jetstream'
import type { SecretBox } from '../../../util/secrets/secret-box.ts'
import type { Clock } from '../../../util/time/clock.ts'
import type { FeedFollower } from '../../signals.ts'
import type { NatsLink } from '../jetstream/nats-link.ts'
import type { FeedBatch } from './feed-publisher.ts'
import { type FeedState, type FeedStream, positionOf } from './feed-stream.ts'
import { openedBatch } from './sealed-batch.ts'

export interface FeedConsumerOptions {
  readonly link: NatsLink
  readonly stream: FeedStream
  readonly box: SecretBox
  readonly clock: Clock
  readonly follower: FeedFollower
}

/** Messages that the server may send ahead. */
const MOST_AHEAD = 50
/** How often it is looked whether the stream is still the same one. */
const LOOKED_EVERY_MS = 5_000
const TRIED_EVERY_MS = 500
/** A follower that has not caught up by then begins all the same. */
const CAUGHT_UP_MS = 2_000

/**
 * Reads the feed from the oldest message that is kept. It begins again after the connection was broken, because what was
 * said to forget meanwhile did not arrive, and where the stream was lost with its server.
 */
export class FeedConsumer implements Disposable {
  readonly #options: FeedConsumerOptions
  readonly #forgetLink: () => void
  readonly #caughtUp = Promise.withResolvers<void>()
  /** The number of the next value of each node. */
  #expected = new Map<string, number>()
  /** What was begun before the last beginning is over. */
  #beginnings = 0
  #messages: ConsumerMessages | undefined
  #cancel: () => void = () => undefined
  #isDisposed = false

  constructor(options: FeedConsumerOptions) {
    this.#options = options
    this.#forgetLink = options.link.onReconnected(() => void this.#begin())
    void this.#begin()
  }

  /** Resolves when what was kept at the beginning has come. */
  async caughtUp(): Promise<void> {
    const cancel = this.#options.clock.after(CAUGHT_UP_MS, () => this.#caughtUp.resolve())
    await this.#caughtUp.promise
    cancel()
  }

  [Symbol.dispose](): void {
    this.#isDisposed = true
    this.#forgetLink()
    this.#end()
    this.#caughtUp.resolve()
  }

  async #begin(): Promise<void> {
    this.#end()
    const beginning = ++this.#beginnings
    try {
      const state = await this.#options.stream.ensure()
      if (this.#isOver(beginning)) return
      this.#expected = new Map()
      this.#options.follower.begin(state.run, state.before)
      if (state.last === 0) this.#caughtUp.resolve()
      await this.#consume(beginning, state)
      this.#lookLater(beginning, state)
    } catch {
      // NATS is away, or has no leader for the stream yet.
      if (!this.#isOver(beginning)) this.#later(TRIED_EVERY_MS, () => this.#begin())
    }
  }

  async #consume(beginning: number, { last }: FeedState): Promise<void> {
    const { link, stream } = this.#options
    const consumer = await link.js.consumers.get(stream.name)
    const messages = await consumer.consume({
      max_messages: MOST_AHEAD,
      callback: ({ data, seq }) => {
        if (this.#isOver(beginning)) return
        this.#receive(Buffer.from(data).toString(), seq)
        if (seq >= last) this.#caughtUp.resolve()
      },
    })
    if (this.#isOver(beginning)) messages.stop()
    else this.#messages = messages
  }

  #receive(sealed: string, sequence: number): void {
    const { box, follower } = this.#options
    const batch = openedBatch(box, sealed)
    if (batch === undefined) return
    this.#missed(batch)
    for (const [index, value] of batch.values.entries())
      follower.add(value, positionOf(sequence, index, batch.values.length))
  }

  #missed({ from, first, values }: FeedBatch): void {
    const expected = this.#expected.get(from) ?? first
    if (first > expected) this.#options.follower.miss(first - expected)
    this.#expected.set(from, first + values.length)
  }

  /** The stream is in the memory of its server, so it may be gone. */
  #lookLater(beginning: number, state: FeedState): void {
    if (this.#isOver(beginning)) return
    this.#later(LOOKED_EVERY_MS, async () => {
      const run = await this.#options.stream.run().catch(() => state.run)
      if (this.#isOver(beginning)) return
      if (run === state.run) this.#lookLater(beginning, state)
      else await this.#begin()
    })
  }

  #later(delayMs: number, task: () => Promise<void>): void {
    this.#cancel = this.#options.clock.after(delayMs, () => void task())
  }

  #isOver(beginning: number): boolean {
    return this.#isDisposed || beginning !== this.#beginnings
  }

  #end(): void {
    this.#cancel()
    this.#messages?.stop()
    this.#messages = undefined
  }
}
