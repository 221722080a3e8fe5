import type { IncomingHttpHeaders } from 'node:http'
import type { Dispatcher } from 'undici'
import type { Clock } from '../../util/clock.ts'
import { onDeadline } from '../network/deadline.ts'
import { DeadlinePassed } from '../network/failures.ts'

/** Bytes of a body that are read, so that the socket can be used again; one that sends more is dropped. */
const READ_BYTES = 64 * 1024
const READ_MS = 1000
/** Bytes of a body that are handed on. */
const KEPT_BYTES = 8 * 1024

/** What a webhook answered. */
export interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  /** The first 8 KiB. */
  readonly body: Buffer
}

export interface ExchangeOptions {
  readonly clock: Clock
  /** From now to the last response header, whatever the request waits for meanwhile. */
  readonly timeoutMs: number
  /** Gives the exchange up, with the signal's own reason. */
  readonly signal?: AbortSignal | undefined
  /** Called when the last response header has come. */
  readonly onHead: () => void
}

/**
 * One request and its answer, as undici tells of it: undici's own `request` makes a stream and an abort signal for
 * each, which cost more than all the rest of an attempt.
 *
 *     waiting ──last header──▶ reading ──end, 64 KiB, 1 s or a broken connection──▶ answered
 *        └──deadline, `signal` or a failed connection──▶ rejected
 */
export class Exchange implements Dispatcher.DispatchHandler {
  readonly #options: ExchangeOptions
  readonly #result = Promise.withResolvers<Answer>()
  readonly #chunks: Buffer[] = []
  #cancelTimer: () => void
  #controller: Dispatcher.DispatchController | undefined
  #givenUp: Error | undefined
  #head: Omit<Answer, 'body'> | undefined
  #readBytes = 0
  #isOver = false
  readonly #onAbort = (): void => this.#giveUp(this.#options.signal!.reason as Error)

  constructor(options: ExchangeOptions) {
    const { clock, timeoutMs, signal } = options
    this.#options = options
    this.#cancelTimer = onDeadline(clock, timeoutMs, () =>
      this.#giveUp(new DeadlinePassed(timeoutMs)),
    )
    signal?.addEventListener('abort', this.#onAbort, { once: true })
    if (signal?.aborted) this.#onAbort()
  }

  /** Rejects with what went wrong before the last header. After it, whatever comes of the body is an answer. */
  get answer(): Promise<Answer> {
    return this.#result.promise
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    // undici has no way to take a request back that waits for a socket.
    if (this.#givenUp) controller.abort(this.#givenUp)
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: IncomingHttpHeaders,
  ): void {
    const isInterim = status < 200
    if (isInterim || this.#isOver) return
    this.#head = { status, headers }
    this.#options.onHead()
    this.#cancelTimer()
    this.#cancelTimer = this.#options.clock.after(READ_MS, () => this.#stopReading())
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#readBytes < KEPT_BYTES) this.#chunks.push(chunk)
    this.#readBytes += chunk.length
    if (this.#readBytes > READ_BYTES) this.#stopReading()
  }

  onResponseEnd(): void {
    this.#finish()
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    // The status has decided; what came of the body before it broke off is kept.
    if (this.#head) this.#finish()
    else this.#giveUp(error)
  }

  #stopReading(): void {
    this.#finish()
    this.#controller?.abort(new Error('Enough of the body was read.'))
  }

  #finish(): void {
    if (this.#isOver || !this.#head) return
    this.#end()
    const [first] = this.#chunks
    const body = first && this.#chunks.length === 1 ? first : Buffer.concat(this.#chunks)
    this.#result.resolve({ ...this.#head, body: body.subarray(0, KEPT_BYTES) })
  }

  #giveUp(reason: Error): void {
    if (this.#isOver) return
    this.#end()
    this.#givenUp = reason
    this.#result.reject(reason)
    this.#controller?.abort(reason)
  }

  #end(): void {
    this.#isOver = true
    this.#cancelTimer()
    this.#options.signal?.removeEventListener('abort', this.#onAbort)
  }
}
