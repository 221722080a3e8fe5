import type { IncomingHttpHeaders } from 'node:http'
import { type Dispatcher, errors } from 'undici'
import type { Clock } from '../../util/time/clock.ts'
import { AttemptTimer } from '../network/attempt-timer.ts'
import { DeadlineQueue, type QueuedDeadline } from '../network/deadline.ts'
import { DeadlineExceededError, ResponseUnreadableError } from '../network/network-errors.ts'
import { classifyFailure } from './outcome.ts'
import type { ResponseHeads } from './response-heads.ts'
import { toRefusedError } from './webhook-request.ts'

/**
 * A body of up to this size is read to the end, so that the socket can be reused. After a larger
 * body, the socket is closed.
 */
const READ_BYTES = 64 * 1024
const READ_MS = 1000
const KEPT_BYTES = 8 * 1024

export interface WebhookResponse {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  /** The first 8 KiB. */
  readonly body: Buffer
}

/** The undici client of an exchange, with one socket at a time. */
export interface ExchangeClient extends Pick<Dispatcher, 'dispatch'> {
  readonly heads: ResponseHeads | undefined
}

export class ExchangeDeadlines {
  readonly body: DeadlineQueue
  readonly #clock: Clock
  readonly #timeoutMs: number
  /** By timeout: at most one for each millisecond up to the maximum timeout of a webhook. */
  readonly #headers = new Map<number, DeadlineQueue>()

  /** @param timeoutMs for webhooks that do not set one */
  constructor(clock: Clock, timeoutMs: number) {
    this.#clock = clock
    this.#timeoutMs = timeoutMs
    this.body = new DeadlineQueue(clock, READ_MS)
  }

  /** From the start to the last response header, including the wait for a socket. */
  headers(timeoutMs = this.#timeoutMs): DeadlineQueue {
    let queue = this.#headers.get(timeoutMs)
    if (queue === undefined) {
      queue = new DeadlineQueue(this.#clock, timeoutMs)
      this.#headers.set(timeoutMs, queue)
    }
    return queue
  }
}

/**
 * The handler of one request for undici's `dispatch`. undici's `request` creates a stream and an abort signal for each
 * request, which costs more than the rest of an attempt. Its states:
 *
 *     waiting ─ last header ─▶ reading ─ end, 64 KiB, 1 s, `abort` or a broken connection ─▶ resolved
 *      │ │ ▲
 *      │ └─┘ once, on a new socket: the idle one was closed before or as the request was written
 *      └─ deadline, `abort`, a failed connection or a refused request ─▶ rejected, or resolved with the status of a
 *         head that undici did not read
 */
export class Exchange implements Dispatcher.DispatchHandler {
  readonly #deadlines: ExchangeDeadlines
  readonly #headerDeadlines: DeadlineQueue
  readonly #timer: AttemptTimer
  readonly #onWritten: (() => void) | undefined
  readonly #result = Promise.withResolvers<WebhookResponse>()
  readonly #chunks: Buffer[] = []
  #deadline: QueuedDeadline
  #controller: Dispatcher.DispatchController | undefined
  #client: ExchangeClient | undefined
  #send: (to?: Pick<Dispatcher, 'dispatch'>) => void = () => undefined
  #isRepeated = false
  #failure: Error | undefined
  #headers: Omit<WebhookResponse, 'body'> | undefined
  #readBytes = 0
  #isOver = false

  /** `timer` stops at the last response header. `onWritten` is called as the request is written. */
  constructor(deadlines: ExchangeDeadlines, timer: AttemptTimer, onWritten?: () => void) {
    this.#deadlines = deadlines
    this.#timer = timer
    this.#onWritten = onWritten
    this.#headerDeadlines = deadlines.headers(timer.timeoutMs)
    this.#deadline = this.#headerDeadlines.begin(() => {
      if (this.#controller && this.#salvage({ isCut: true })) this.#stopReading()
      else this.#fail(new DeadlineExceededError(this.#headerDeadlines.afterMs))
    })
  }

  /** Rejects if it fails before the last header. After that, resolves even if the body is cut off. */
  get response(): Promise<WebhookResponse> {
    return this.#result.promise
  }

  /** Ends the exchange now: resolves if the headers have arrived, and otherwise rejects with the reason. */
  abort(reason: Error): void {
    if (this.#headers) this.#stopReading()
    else this.#fail(reason)
  }

  /** Rejects with an error thrown before undici sent the request. */
  refuse(cause: unknown): void {
    this.#fail(toRefusedError(cause))
  }

  begin(pool: Pick<Dispatcher, 'dispatch'>, options: Dispatcher.DispatchOptions): void {
    this.#send = (to = pool) => AttemptTimer.run(this.#timer, () => to.dispatch(options, this))
    this.#send()
  }

  takenBy(client: ExchangeClient): void {
    this.#client = client
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    this.#client?.heads?.begin()
    // undici cannot cancel a request that waits for a socket, so it is aborted when it starts.
    if (this.#failure) controller.abort(this.#failure)
    else this.#onWritten?.()
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: IncomingHttpHeaders,
  ): void {
    if (status < 200 || this.#isOver) return
    this.#client?.heads?.forget()
    this.#readHead({ status, headers })
  }

  #readHead(headers: Omit<WebhookResponse, 'body'>): void {
    this.#headers = headers
    this.#timer.stop()
    this.#headerDeadlines.cancel(this.#deadline)
    this.#deadline = this.#deadlines.body.begin(() => this.#stopReading())
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#readBytes < KEPT_BYTES) this.#chunks.push(chunk)
    this.#readBytes += chunk.length
    if (this.#readBytes > READ_BYTES) this.#stopReading()
  }

  onResponseEnd(): void {
    this.#finish()
  }

  onResponseError(controller: Dispatcher.DispatchController | null, error: Error): void {
    // The status decides. The received part of the body is kept.
    if (this.#headers) this.#finish()
    // undici passes no controller for a request that it refused.
    else if (controller === null && !isClosed(error)) this.refuse(error)
    else if (this.#controller && !this.#isOver) this.#onBroken(asFailure(error))
    else if (this.#mayRepeat(error) && this.#client?.heads?.isUsed === true) this.#repeatUnwritten()
    else this.#fail(error)
  }

  /** The connection broke, or undici could not parse the response. */
  #onBroken(failure: Error): void {
    const heads = this.#client?.heads
    const isUnreadable = classifyFailure(failure)?.class === 'protocol_error'
    if (this.#salvage({ isCut: !isUnreadable })) this.#finish()
    else if (isUnreadable) this.#fail(failure)
    else if (this.#mayRepeat(failure) && heads?.isStale === true) this.#repeat()
    else this.#fail(heads?.isInterim ? new ResponseUnreadableError(failure) : failure)
  }

  /**
   * Uses the status of an unparsed head: the receiver may have acted. Returns false if there is no
   * status that it can use.
   */
  #salvage({ isCut }: { readonly isCut: boolean }): boolean {
    const response = this.#client?.heads?.salvaged()
    // A receiver that crashes can leave a truncated head. A 2xx in such a head does not count as a success, so the event is retried.
    if (response === undefined || (isCut && response.status < 300)) return false
    this.#readHead(response)
    this.#chunks.push(response.body)
    return true
  }

  #mayRepeat(failure: Error): boolean {
    return !this.#isRepeated && !this.#isOver && !isClosed(failure)
  }

  /** On the same client, which opens a new socket. Another idle socket may be stale as well. */
  #repeat(): void {
    this.#isRepeated = true
    this.#controller = undefined
    this.#send(this.#client)
  }

  /** The socket was reset before the write. undici destroys the client after reporting this. */
  #repeatUnwritten(): void {
    this.#isRepeated = true
    setImmediate(() => {
      if (!this.#isOver) this.#send()
    })
  }

  #stopReading(): void {
    this.#finish()
    this.#controller?.abort(new Error('Enough of the body was read.'))
  }

  #finish(): void {
    if (this.#isOver || !this.#headers) return
    this.#end()
    const [first] = this.#chunks
    const body = first && this.#chunks.length === 1 ? first : Buffer.concat(this.#chunks)
    this.#result.resolve({ ...this.#headers, body: body.subarray(0, KEPT_BYTES) })
  }

  #fail(reason: Error): void {
    if (this.#isOver) return
    this.#end()
    this.#failure = reason
    this.#result.reject(reason)
    this.#controller?.abort(reason)
  }

  #end(): void {
    this.#isOver = true
    const deadlines = this.#headers ? this.#deadlines.body : this.#headerDeadlines
    deadlines.cancel(this.#deadline)
  }
}

/** undici asserts conditions that a hostile receiver controls, so an error without a known code is attributed to the receiver. */
function asFailure(error: Error): Error {
  const isKnown = isClosed(error) || classifyFailure(error) !== undefined
  return isKnown ? error : new ResponseUnreadableError(error)
}

function isClosed(error: Error): boolean {
  return error instanceof errors.ClientDestroyedError || error instanceof errors.ClientClosedError
}
