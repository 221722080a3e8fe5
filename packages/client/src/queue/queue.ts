import { Batch, ENVELOPE_BYTES } from './batch.ts'
import type { Options } from '../options.ts'
import { Page } from './page.ts'
import type { Snapshot } from '../calls/snapshot.ts'

const PAGE_BYTES = 128 * 1024

type Bounds = Pick<Options, 'flushAt' | 'maxBatchBytes' | 'maxQueueBytes' | 'maxQueueMessages'>

/**
 * The messages that have no fate yet, in the order of their calls. A message is waiting, then out (in the
 * batch that is on its way), then gone. Both kinds count against the bounds.
 */
export class Queue {
  readonly #bounds: Bounds
  readonly #pages: Page[] = []
  #waiting = { messages: 0, bytes: 0 }
  #out = { first: 0, messages: 0, bytes: 0 }
  #head = 0

  constructor(bounds: Bounds) {
    this.#bounds = bounds
  }

  /** Messages that wait. */
  get waiting(): number {
    return this.#waiting.messages
  }

  /** Messages without a fate. */
  get pending(): number {
    return this.#waiting.messages + this.#out.messages
  }

  /** The number of the first message that waits, counted over the life of the queue. */
  get head(): number {
    return this.#head
  }

  /** The number that the next message will have. */
  get tail(): number {
    return this.#head + this.#waiting.messages
  }

  /** Messages without a fate whose number is below `end`. */
  pendingBefore(end: number): number {
    const { first, messages } = this.#out
    const out = Math.min(Math.max(0, end - first), messages)
    return out + Math.max(0, end - this.#head)
  }

  /** Whether what waits makes a batch that nothing can be added to. */
  get hasFullBatch(): boolean {
    const { messages, bytes } = this.#waiting
    const { flushAt, maxBatchBytes } = this.#bounds
    return messages >= flushAt || ENVELOPE_BYTES + bytes + messages > maxBatchBytes
  }

  /** Whether less than half of both bounds is used. */
  get isHalfEmpty(): boolean {
    const { maxQueueBytes, maxQueueMessages } = this.#bounds
    return this.pending * 2 < maxQueueMessages && this.#bytes * 2 < maxQueueBytes
  }

  hasRoomFor({ bytes }: Snapshot): boolean {
    const { maxQueueBytes, maxQueueMessages } = this.#bounds
    return this.pending < maxQueueMessages && this.#bytes + bytes <= maxQueueBytes
  }

  /** Appends a message. The caller has asked for room. */
  push({ text, bytes }: Snapshot): void {
    if (!this.#pages.at(-1)?.push(text, bytes)) {
      const page = new Page(Math.max(PAGE_BYTES, bytes))
      page.push(text, bytes)
      this.#pages.push(page)
    }
    this.#waiting.messages++
    this.#waiting.bytes += bytes
  }

  /** Takes the first message that waits out, and forgets it. */
  dropOldest(): void {
    this.#shift()
    this.#tidy()
  }

  /** Takes the next batch out, as large as the bounds let it be. At least one message waits. */
  takeBatch(): Batch {
    const { flushAt, maxBatchBytes } = this.#bounds
    const first = this.#head
    this.#out = { first, messages: 0, bytes: 0 }
    const messages: Uint8Array[] = []
    let bytes = ENVELOPE_BYTES - 1
    while (this.waiting > 0 && messages.length < flushAt) {
      bytes += this.#firstBytes + 1
      if (bytes > maxBatchBytes) break
      const message = this.#shift()
      this.#out.messages++
      this.#out.bytes += message.length
      messages.push(message)
    }
    const batch = new Batch(first, messages)
    this.#tidy()
    return batch
  }

  /** The batch that was out has met its fate. */
  settle(): void {
    this.#out = { first: 0, messages: 0, bytes: 0 }
  }

  get #bytes(): number {
    return this.#waiting.bytes + this.#out.bytes
  }

  get #firstBytes(): number {
    while (this.#pages.length > 1 && this.#pages[0]!.isEmpty) this.#pages.shift()
    return this.#pages[0]!.firstBytes
  }

  #shift(): Uint8Array {
    const bytes = this.#firstBytes
    this.#waiting.messages--
    this.#waiting.bytes -= bytes
    this.#head++
    return this.#pages[0]!.shift()
  }

  /** The last page is used again rather than made anew. */
  #tidy(): void {
    if (this.waiting > 0) return
    this.#pages.splice(1)
    this.#pages[0]?.clear()
  }
}
