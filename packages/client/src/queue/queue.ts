import type { SerialisedMessage } from '../calls/serialise.ts'
import { Batch, ENVELOPE_BYTES } from './batch.ts'
import { MessageBuffer } from './message-buffer.ts'

const BUFFER_BYTES = 128 * 1024

interface QueueBounds {
  /** The number of messages in a full batch. */
  readonly flushAt: number
  readonly maxBatchBytes: number
  readonly maxQueueBytes: number
  readonly maxQueueMessages: number
}

/**
 * The pending messages, in the order of their calls. A message first waits, then is in flight (in a batch that is being
 * sent), then leaves the queue. Waiting and in-flight messages count towards the bounds. Batches leave in order.
 */
export class Queue {
  readonly #bounds: QueueBounds
  readonly #buffers: MessageBuffer[] = []
  #waiting = { messages: 0, bytes: 0 }
  #inFlight = { messages: 0, bytes: 0 }
  readonly #batches: Batch[] = []
  #head = 0

  constructor(bounds: QueueBounds) {
    this.#bounds = bounds
  }

  get waiting(): number {
    return this.#waiting.messages
  }

  /** The number of messages that are waiting or in flight. */
  get pending(): number {
    return this.#waiting.messages + this.#inFlight.messages
  }

  /** The number of the first waiting message. Messages are numbered over the lifetime of the queue. */
  get head(): number {
    return this.#head
  }

  /** The number that the next message will have. */
  get tail(): number {
    return this.#head + this.#waiting.messages
  }

  /** The count of pending messages with a number below `end`. */
  pendingBefore(end: number): number {
    return this.#batches.reduce(
      (sum, { first, length }) => sum + Math.min(Math.max(0, end - first), length),
      Math.max(0, end - this.#head),
    )
  }

  /** Whether the waiting messages fill a batch. */
  get hasFullBatch(): boolean {
    const { messages, bytes } = this.#waiting
    const { flushAt, maxBatchBytes } = this.#bounds
    return messages >= flushAt || ENVELOPE_BYTES + bytes + messages > maxBatchBytes
  }

  /** Whether less than half of each bound is used. */
  get isHalfEmpty(): boolean {
    const { maxQueueBytes, maxQueueMessages } = this.#bounds
    return this.pending * 2 < maxQueueMessages && this.#bytes * 2 < maxQueueBytes
  }

  hasRoomFor({ bytes }: SerialisedMessage): boolean {
    const { maxQueueBytes, maxQueueMessages } = this.#bounds
    return this.pending < maxQueueMessages && this.#bytes + bytes <= maxQueueBytes
  }

  /** Appends a message. Call `hasRoomFor` first. */
  push({ text, bytes }: SerialisedMessage): void {
    if (!this.#buffers.at(-1)?.push(text, bytes)) {
      const buffer = new MessageBuffer(Math.max(BUFFER_BYTES, bytes))
      buffer.push(text, bytes)
      this.#buffers.push(buffer)
    }
    this.#waiting.messages++
    this.#waiting.bytes += bytes
  }

  /** Drops the first waiting message. */
  dropOldest(): void {
    this.#shift()
    this.#releaseBuffers()
  }

  /** Whether the first waiting message fits into a batch of this size. */
  fits(batchBytes: number): boolean {
    return this.waiting > 0 && ENVELOPE_BYTES + this.#firstBytes <= batchBytes
  }

  /** Takes the next batch, as large as the bounds and `maxBatchBytes` allow. The first waiting message must fit. */
  takeBatch(maxBatchBytes = this.#bounds.maxBatchBytes): Batch {
    const { flushAt } = this.#bounds
    const first = this.#head
    const messages: Uint8Array[] = []
    let bytes = ENVELOPE_BYTES - 1
    while (this.waiting > 0 && messages.length < flushAt) {
      bytes += this.#firstBytes + 1
      if (bytes > maxBatchBytes) break
      messages.push(this.#shift())
    }
    const batch = new Batch(first, messages)
    this.#batches.push(batch)
    this.#inFlight.messages += batch.length
    this.#inFlight.bytes += batch.messageBytes
    this.#releaseBuffers()
    return batch
  }

  /** Removes the first batch in flight, which has its final outcome. */
  settle(): void {
    const { length, messageBytes } = this.#batches.shift()!
    this.#inFlight.messages -= length
    this.#inFlight.bytes -= messageBytes
  }

  get #bytes(): number {
    return this.#waiting.bytes + this.#inFlight.bytes
  }

  get #firstBytes(): number {
    while (this.#buffers.length > 1 && this.#buffers[0]!.isEmpty) this.#buffers.shift()
    return this.#buffers[0]!.firstBytes
  }

  #shift(): Uint8Array {
    const bytes = this.#firstBytes
    this.#waiting.messages--
    this.#waiting.bytes -= bytes
    this.#head++
    return this.#buffers[0]!.shift()
  }

  /** If nothing is waiting, keeps one buffer for the next messages and releases the others. */
  #releaseBuffers(): void {
    if (this.waiting > 0) return
    this.#buffers.splice(1)
    this.#buffers[0]?.clear()
  }
}
