import type { SecretBox } from '../../../util/secrets/secret-box.ts'
import type { Clock } from '../../../util/time/clock.ts'
import { pause } from '../../../util/time/pause.ts'
import type { Feed, FeedFollower, Following } from '../../signals.ts'
import type { NatsLink } from '../jetstream/nats-link.ts'
import { FeedConsumer } from './feed-consumer.ts'
import { FeedPublisher } from './feed-publisher.ts'
import { FeedStream } from './feed-stream.ts'
import { sealedBatch } from './sealed-batch.ts'

export interface NatsFeedOptions {
  readonly link: NatsLink
  readonly prefix: string
  readonly replicas: number
  readonly box: SecretBox
  readonly clock: Clock
  readonly node: string
  /** Which nodes follow it. */
  readonly readers: { isRead(): boolean; read(): Disposable }
}

const TRIED_EVERY_MS = 1_000

/** A feed on a subject of NATS, of which a stream in memory keeps the newest messages. */
export class NatsFeed implements Feed, AsyncDisposable {
  readonly #options: NatsFeedOptions
  readonly #stream: FeedStream
  readonly #publisher: FeedPublisher
  readonly #consumers = new Set<FeedConsumer>()
  readonly #stop = new AbortController()

  constructor(options: NatsFeedOptions) {
    this.#options = options
    this.#stream = new FeedStream(options.link, options)
    this.#publisher = new FeedPublisher({ ...options, send: (batch) => this.#send(batch) })
  }

  get isFollowed(): boolean {
    return this.#consumers.size > 0 || this.#options.readers.isRead()
  }

  publish(value: object): void {
    this.#publisher.add(value)
  }

  follow(follower: FeedFollower): Following {
    const consumer = new FeedConsumer({ ...this.#options, stream: this.#stream, follower })
    this.#consumers.add(consumer)
    const announced = this.#options.readers.read()
    return {
      caughtUp: consumer.caughtUp(),
      [Symbol.dispose]: () => {
        announced[Symbol.dispose]()
        this.#consumers.delete(consumer)
        consumer[Symbol.dispose]()
      },
    }
  }

  async forget(): Promise<void> {
    const { link, clock } = this.#options
    const { signal } = this.#stop
    while (!signal.aborted) {
      await link.connected(signal)
      try {
        await this.#stream.empty()
        return
      } catch {
        await pause(clock, TRIED_EVERY_MS, signal)
      }
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort()
    this.#publisher.flush()
    for (const consumer of this.#consumers) consumer[Symbol.dispose]()
  }

  #send(batch: string): void {
    const { link, box } = this.#options
    if (!link.isConnected) return
    try {
      link.connection.publish(this.#stream.subject, sealedBatch(box, batch))
    } catch {
      // The connection is closed: this node stops.
    }
  }
}
