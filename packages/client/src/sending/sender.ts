import type { Clock } from '../clock.ts'
import type { Options } from '../options.ts'
import type { Batch } from '../queue/batch.ts'
import type { Queue } from '../queue/queue.ts'
import type { DebugLog } from '../reporting/debug-log.ts'
import { textOf } from '../reporting/safe-calls.ts'
import { BatchOutcome } from './batch-outcome.ts'
import type { Page } from './page.ts'
import { isRetryable, retryAfterMs, retryDelayMs } from './retry.ts'
import type { BatchResponse, Transport } from './transport.ts'

interface SenderOptions {
  readonly queue: Queue
  readonly transport: Transport
  readonly options: Options
  readonly page: Page
  readonly clock: Clock
  readonly random: () => number
  readonly debug: DebugLog | undefined
  /** Called when a batch is delivered or has failed permanently. */
  readonly onOutcome: (outcome: BatchOutcome) => void
  /** Called when there is nothing to send for now. */
  readonly onIdle: () => void
}

/**
 * Sends the queue, one batch at a time, in the order of the calls.
 *
 * It is idle until `wake`. Then it takes a batch, tries it, pauses and retries until the outcome is final, and
 * continues with the next batch while a flush requires it or a batch is full. After that, it is idle again. `stop` ends
 * it from any of these states; the batch in flight then has no outcome.
 *
 * While the page is ending, it does not wait for outcomes: it starts the first try of every batch that the browser
 * allows to outlive the page, and of one more. Outcomes still follow in the order of the calls.
 */
export class Sender {
  readonly #options: SenderOptions
  /** Messages with a lower number are sent even if they do not fill a batch. */
  #flushEnd = 0
  #isSending = false
  #isStopped = false
  readonly #attempts = new Set<AbortController>()
  /** Batches whose first try was started early. */
  readonly #started: StartedBatch[] = []
  #endPause: (() => void) | undefined

  constructor(options: SenderOptions) {
    this.#options = options
  }

  get isSending(): boolean {
    return this.#isSending
  }

  /** Sends full batches, and all messages with a number below `flushEnd`. Returns before sending. */
  wake(flushEnd = 0): void {
    this.#flushEnd = Math.max(this.#flushEnd, flushEnd)
    if (this.#isStopped) return
    if (!this.#isSending) {
      this.#isSending = true
      queueMicrotask(() => void this.#send())
    } else if (this.#options.page.isEnding && this.#endPause === undefined) {
      queueMicrotask(() => this.#startAll())
    }
  }

  /**
   * Called when the page ends. Starts the batches that can outlive the page, and one more, before it returns. A batch that
   * waits for a retry or for compression is sent in a later microtask.
   */
  hurry(): void {
    this.#options.transport.hurry()
    this.#endPause?.()
    this.#startAll()
    this.wake()
  }

  /** Aborts the current request or pause, and sends nothing more. */
  stop(): void {
    this.#isStopped = true
    for (const attempt of this.#attempts) attempt.abort()
    this.#endPause?.()
  }

  async #send(): Promise<void> {
    const { queue, onOutcome, onIdle } = this.#options
    for (let next; (next = this.#next());) {
      const response = await this.#deliver(next)
      if (this.#isStopped) return
      queue.settle()
      onOutcome(new BatchOutcome(next.batch, response))
    }
    this.#isSending = false
    onIdle()
  }

  /** The next batch to send, if any. */
  #next(): StartedBatch | undefined {
    const { queue, page } = this.#options
    if (page.isEnding) this.#startAll()
    const isWanted = queue.waiting > 0 && (queue.head < this.#flushEnd || queue.hasFullBatch)
    return this.#started.shift() ?? (isWanted ? this.#start(queue.takeBatch()) : undefined)
  }

  #start(batch: Batch, isExclusive = false): StartedBatch {
    return { batch, isExclusive, firstTry: this.#try(batch) }
  }

  /** Starts the batches that can outlive the page, and one of the others. */
  #startAll(): void {
    const { queue, transport } = this.#options
    while (queue.waiting > 0 && !this.#isStopped && !this.#started.at(-1)?.isExclusive) {
      const room = transport.keepaliveRoom
      const fits = queue.fits(room)
      this.#started.push(this.#start(queue.takeBatch(fits ? room : undefined), !fits))
    }
  }

  /** Resolves with the last response, or immediately when stopped. */
  async #deliver({ batch, firstTry }: StartedBatch): Promise<BatchResponse> {
    const { options, clock, random, debug } = this.#options
    let response = await firstTry
    for (let retry = 1; ; retry++) {
      const isFinal = !isRetryable(response)
      if (isFinal || retry > options.maxRetries || this.#isStopped) return response
      const requestedMs = retryAfterMs(response.retryAfter, clock.now())
      const delayMs = retryDelayMs(retry, random(), requestedMs)
      debug?.(`retry ${retry} of ${options.maxRetries} in ${Math.round(delayMs)} ms`)
      const isCut = await this.#sleep(delayMs)
      // A page that is hidden repeatedly must not use up the retries.
      if (isCut) retry--
      response = await this.#try(batch)
    }
  }

  async #try(batch: Batch): Promise<BatchResponse> {
    const { transport, options, clock, debug } = this.#options
    const attempt = new AbortController()
    this.#attempts.add(attempt)
    const startedAt = clock.now()
    const cancel = clock.after(options.timeoutMs, () => {
      attempt.abort(new Error(`no response within ${options.timeoutMs} ms`))
    })
    try {
      const body = batch.sentAt(startedAt)
      const response = await transport.post(body, attempt.signal)
      const { status, code = '' } = response
      debug?.(
        `response ${status} ${code} to a batch of ${batch.length} in ${clock.now() - startedAt} ms`,
      )
      return response
    } catch (cause) {
      debug?.(`no response to a batch of ${batch.length}: ${textOf(cause)}`)
      return { isSuccess: false, rejected: [], cause }
    } finally {
      cancel()
      this.#attempts.delete(attempt)
    }
  }

  /** Resolves to whether the pause was cut short. */
  #sleep(delayMs: number): Promise<boolean> {
    if (this.#isStopped) return Promise.resolve(true)
    return new Promise((resolve) => {
      const end = (isCut: boolean) => {
        cancel()
        this.#endPause = undefined
        resolve(isCut)
      }
      const cancel = this.#options.clock.after(delayMs, () => end(false))
      this.#endPause = () => end(true)
    })
  }
}

interface StartedBatch {
  readonly batch: Batch
  /** If true, no other batch starts until this one has an outcome. */
  readonly isExclusive: boolean
  readonly firstTry: Promise<BatchResponse>
}
