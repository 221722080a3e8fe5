import type { Clock } from '../../../util/time/clock.ts'

export interface FeedPublisherOptions {
  readonly clock: Clock
  readonly node: string
  /** Sends a batch as JSON. What cannot be sent is lost: followers see the gap in the numbers. */
  readonly send: (batch: string) => void
}

/** What one message of the feed has. */
export interface FeedBatch {
  /** The node that published it. */
  readonly from: string
  /** The number of its first value among all that the node published, those that were lost included. */
  readonly first: number
  readonly values: readonly object[]
}

/** How long a value waits for others. */
const WAIT_MS = 10
/** A batch is sent when it has so much. */
const BATCH_BYTES = 128 * 1024
const BATCH_VALUES = 500
/** More than this in a second is lost: readers of the live tail must not take from the log the network that it needs. */
export const MOST_BYTES_PER_SECOND = 4 * 1024 * 1024
const SECOND_MS = 1_000

/** Puts values into batches, within a bound for each second. */
export class FeedPublisher {
  readonly #options: FeedPublisherOptions
  #values: string[] = []
  #bytes = 0
  /** The number of the next value. */
  #next = 1
  #secondBegan = -Infinity
  #bytesInSecond = 0
  #cancel: (() => void) | undefined

  constructor(options: FeedPublisherOptions) {
    this.#options = options
  }

  add(value: object): void {
    const json = JSON.stringify(value)
    if (!this.#fits(json.length)) {
      // Numbers within a batch have no gaps.
      this.flush()
      this.#next += 1
      return
    }
    this.#next += 1
    this.#values.push(json)
    this.#bytes += json.length
    if (this.#bytes >= BATCH_BYTES || this.#values.length >= BATCH_VALUES) return this.flush()
    this.#cancel ??= this.#options.clock.after(WAIT_MS, () => this.flush())
  }

  /** Sends what waits. */
  flush(): void {
    this.#cancel?.()
    this.#cancel = undefined
    if (this.#values.length === 0) return
    const { node, send } = this.#options
    const first = this.#next - this.#values.length
    const batch = `{"from":"${node}","first":${first},"values":[${this.#values.join(',')}]}`
    this.#values = []
    this.#bytes = 0
    send(batch)
  }

  #fits(bytes: number): boolean {
    const now = this.#options.clock.now()
    if (Math.abs(now - this.#secondBegan) >= SECOND_MS) {
      this.#secondBegan = now
      this.#bytesInSecond = 0
    }
    if (bytes > BATCH_BYTES || this.#bytesInSecond + bytes > MOST_BYTES_PER_SECOND) return false
    this.#bytesInSecond += bytes
    return true
  }
}
