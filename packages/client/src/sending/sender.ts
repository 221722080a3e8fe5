import type { Batch } from '../queue/batch.ts'
import type { Clock } from '../clock.ts'
import type { Say } from './debug.ts'
import { Fate } from '../queue/fate.ts'
import type { Options } from '../options.ts'
import type { Queue } from '../queue/queue.ts'
import { isRetryable, retryAfterMs, retryDelayMs } from './retry.ts'
import type { Answer, Transport } from './transport.ts'

interface Parts {
  readonly queue: Queue
  readonly transport: Transport
  readonly options: Options
  readonly clock: Clock
  readonly random: () => number
  readonly say: Say | undefined
  /** A batch has met its fate. */
  readonly onFate: (fate: Fate) => void
  /** Nothing more has to be sent for now. */
  readonly onIdle: () => void
}

/**
 * Sends what waits, one batch after the other, in the order of the calls.
 *
 * Idle until woken. Sending: takes a batch, tries it, pauses and tries it again until its fate is known;
 * then the next, while a flush asks for it or a batch is full; then idle. Stopped for good, from any
 * of these, by `stop`; the batch that was out then stays without a fate.
 */
export class Sender {
  readonly #parts: Parts
  /** The number of the first message that no flush has asked for. */
  #wanted = 0
  #isSending = false
  #isStopped = false
  #attempt: AbortController | undefined
  #endPause: (() => void) | undefined

  constructor(parts: Parts) {
    this.#parts = parts
  }

  get isSending(): boolean {
    return this.#isSending
  }

  /** Sends full batches, and all messages with a number below `wanted`. Returns before anything is sent. */
  wake(wanted = 0): void {
    this.#wanted = Math.max(this.#wanted, wanted)
    if (this.#isSending || this.#isStopped) return
    this.#isSending = true
    queueMicrotask(() => void this.#send())
  }

  /** Breaks off whatever is under way. */
  stop(): void {
    this.#isStopped = true
    this.#attempt?.abort()
    this.#endPause?.()
  }

  async #send(): Promise<void> {
    const { queue, onFate, onIdle } = this.#parts
    while (queue.waiting > 0 && (queue.head < this.#wanted || queue.hasFullBatch)) {
      const batch = queue.takeBatch()
      const answer = await this.#deliver(batch)
      if (this.#isStopped) return
      queue.settle()
      onFate(new Fate(batch, answer))
    }
    this.#isSending = false
    onIdle()
  }

  /** Resolves with the last answer, or at once when stopped. */
  async #deliver(batch: Batch): Promise<Answer> {
    const { options, clock, random, say } = this.#parts
    for (let retry = 1; ; retry++) {
      const answer = await this.#try(batch)
      const isFinal = answer.status !== undefined && !isRetryable(answer.status)
      if (isFinal || retry > options.maxRetries || this.#isStopped) return answer
      const askedMs = retryAfterMs(answer.retryAfter, clock.now())
      const delayMs = retryDelayMs(retry, random(), askedMs)
      say?.(`retry ${retry} of ${options.maxRetries} in ${Math.round(delayMs)} ms`)
      await this.#pause(delayMs)
    }
  }

  async #try(batch: Batch): Promise<Answer> {
    const { transport, options, clock, say } = this.#parts
    const attempt = (this.#attempt = new AbortController())
    const startedAt = clock.now()
    const cancel = clock.after(options.timeoutMs, () => {
      attempt.abort(new Error(`no answer within ${options.timeoutMs} ms`))
    })
    // A fetch that was handed in may not heed the signal.
    const aborted = new Promise<never>((_resolve, reject) => {
      attempt.signal.addEventListener('abort', () => reject(attempt.signal.reason as Error))
    })
    try {
      const body = batch.sentAt(startedAt)
      const answer = await Promise.race([transport.post(body, attempt.signal), aborted])
      const { status, code = '' } = answer
      say?.(`response ${status} ${code} to ${batch.length} in ${clock.now() - startedAt} ms`)
      return answer
    } catch (cause) {
      say?.(`no response to ${batch.length}: ${String(cause)}`)
      return { rejected: [], cause }
    } finally {
      cancel()
    }
  }

  #pause(delayMs: number): Promise<void> {
    if (this.#isStopped) return Promise.resolve()
    return new Promise((resolve) => {
      const cancel = this.#parts.clock.after(delayMs, resolve)
      this.#endPause = () => {
        cancel()
        resolve()
      }
    })
  }
}
