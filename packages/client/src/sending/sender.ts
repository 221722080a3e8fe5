import type { Clock } from '../clock.ts'
import type { Options } from '../options.ts'
import type { Batch } from '../queue/batch.ts'
import type { Queue } from '../queue/queue.ts'
import type { DebugLog } from '../reporting/debug-log.ts'
import { textOf } from '../reporting/safe-calls.ts'
import { BatchOutcome } from './batch-outcome.ts'
import { isRetryable, retryAfterMs, retryDelayMs } from './retry.ts'
import type { BatchResponse, Transport } from './transport.ts'

interface SenderOptions {
  readonly queue: Queue
  readonly transport: Transport
  readonly options: Options
  readonly clock: Clock
  readonly random: () => number
  readonly debug: DebugLog | undefined
  /** Called when a batch is delivered or has failed for good. */
  readonly onOutcome: (outcome: BatchOutcome) => void
  /** Called when there is nothing to send for now. */
  readonly onIdle: () => void
}

/**
 * Sends the queue, one batch after the other, in the order of the calls.
 *
 * It is idle until `wake`. While it sends, it takes a batch, tries it, pauses and tries it again until its outcome is
 * final. It goes on with the next batch while a flush asks for it or a batch is full; then it is idle again. `stop`
 * ends it for good, from any of these states; the batch in flight then has no outcome.
 */
export class Sender {
  readonly #options: SenderOptions
  /** Messages with a lower number are sent even where they do not fill a batch. */
  #flushEnd = 0
  #isSending = false
  #isStopped = false
  #attempt: AbortController | undefined
  #endPause: (() => void) | undefined

  constructor(options: SenderOptions) {
    this.#options = options
  }

  get isSending(): boolean {
    return this.#isSending
  }

  /** Sends full batches, and all messages with a number below `flushEnd`. Returns before anything is sent. */
  wake(flushEnd = 0): void {
    this.#flushEnd = Math.max(this.#flushEnd, flushEnd)
    if (this.#isSending || this.#isStopped) return
    this.#isSending = true
    queueMicrotask(() => void this.#send())
  }

  /** Aborts the request or the pause that is under way, and sends nothing more. */
  stop(): void {
    this.#isStopped = true
    this.#attempt?.abort()
    this.#endPause?.()
  }

  async #send(): Promise<void> {
    const { queue, onOutcome, onIdle } = this.#options
    while (queue.waiting > 0 && (queue.head < this.#flushEnd || queue.hasFullBatch)) {
      const batch = queue.takeBatch()
      const response = await this.#deliver(batch)
      if (this.#isStopped) return
      queue.settle()
      onOutcome(new BatchOutcome(batch, response))
    }
    this.#isSending = false
    onIdle()
  }

  /** Resolves with the last response, or at once when stopped. */
  async #deliver(batch: Batch): Promise<BatchResponse> {
    const { options, clock, random, debug } = this.#options
    for (let retry = 1; ; retry++) {
      const response = await this.#try(batch)
      const isFinal = !isRetryable(response.status)
      if (isFinal || retry > options.maxRetries || this.#isStopped) return response
      const requestedMs = retryAfterMs(response.retryAfter, clock.now())
      const delayMs = retryDelayMs(retry, random(), requestedMs)
      debug?.(`retry ${retry} of ${options.maxRetries} in ${Math.round(delayMs)} ms`)
      await this.#pause(delayMs)
    }
  }

  async #try(batch: Batch): Promise<BatchResponse> {
    const { transport, options, clock, debug } = this.#options
    const attempt = (this.#attempt = new AbortController())
    const startedAt = clock.now()
    const cancel = clock.after(options.timeoutMs, () => {
      attempt.abort(new Error(`no response within ${options.timeoutMs} ms`))
    })
    // A `fetch` from the options may ignore the signal.
    const aborted = new Promise<never>((_resolve, reject) => {
      attempt.signal.addEventListener('abort', () => reject(attempt.signal.reason as Error))
    })
    try {
      const body = batch.sentAt(startedAt)
      const response = await Promise.race([transport.post(body, attempt.signal), aborted])
      const { status, code = '' } = response
      debug?.(`response ${status} ${code} to ${batch.length} in ${clock.now() - startedAt} ms`)
      return response
    } catch (cause) {
      debug?.(`no response to ${batch.length}: ${textOf(cause)}`)
      return { rejected: [], cause }
    } finally {
      cancel()
    }
  }

  #pause(delayMs: number): Promise<void> {
    if (this.#isStopped) return Promise.resolve()
    return new Promise((resolve) => {
      const cancel = this.#options.clock.after(delayMs, resolve)
      this.#endPause = () => {
        cancel()
        resolve()
      }
    })
  }
}
