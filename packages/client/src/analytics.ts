import { AnalyticsCalls, type Message } from './calls/analytics-calls.ts'
import type { EventMap } from './calls/call.ts'
import type { ClientOptions } from './client-options.ts'
import { type Clock, systemClock } from './clock.ts'
import {
  ClientClosedError,
  DeliveryError,
  FlushTimeoutError,
  QueueFullError,
  RejectedError,
  type ReportedError,
} from './errors.ts'
import { type Options, resolveOptions } from './options.ts'
import { Queue } from './queue/queue.ts'
import { type DebugLog, openDebugLog } from './reporting/debug-log.ts'
import { Drops } from './reporting/drops.ts'
import { reporter } from './reporting/report.ts'
import type { BatchOutcome } from './sending/batch-outcome.ts'
import { FlushInterval } from './sending/flush-interval.ts'
import { Flushes, type FlushResult } from './sending/flushes.ts'
import { Page } from './sending/page.ts'
import { Sender } from './sending/sender.ts'
import { Transport } from './sending/transport.ts'

/** The number of calls so far, by state. `queued` is the sum of the others. */
export interface Stats {
  /** All calls that did not throw; 0 if `enabled` is false. */
  readonly queued: number
  readonly delivered: number
  readonly failed: number
  readonly dropped: number
  /** In the queue or in flight. */
  readonly pending: number
}

/** The time limit of a flush or a close. */
export interface TimeoutOptions {
  readonly timeoutMs?: number | undefined
}

/** The sources of time and random numbers, replaceable in tests. */
interface Dependencies {
  readonly clock?: Clock
  readonly random?: () => number
}

const CLOSE_TIMEOUT_MS = 30_000

/**
 * Sends analytics calls to Hookline. A call is validated, serialised and queued, and returns immediately. The client sends
 * the queue in order, one request at a time. The type parameter lists your events:
 * `new Analytics<{ 'Order Completed': { revenue: number } }>(writeKey)`.
 */
export class Analytics<Events extends EventMap = EventMap>
  extends AnalyticsCalls<Events>
  implements AsyncDisposable
{
  readonly #options: Options
  readonly #debug: DebugLog | undefined
  readonly #report: (error: ReportedError) => void
  readonly #queue: Queue
  readonly #page: Page
  readonly #sender: Sender
  readonly #flushes: Flushes
  readonly #interval: FlushInterval
  readonly #drops: Drops
  readonly #counts = { queued: 0, delivered: 0, failed: 0 }
  #closing: Promise<void> | undefined

  /** Throws for invalid options. `dependencies` is for the tests of this library. */
  constructor(
    writeKey: string,
    clientOptions: ClientOptions = {},
    dependencies: Dependencies = {},
  ) {
    const options = resolveOptions(clientOptions)
    const { clock = systemClock, random = Math.random } = dependencies
    super(options.maxMessageBytes, clock)
    this.#options = options
    this.#debug = openDebugLog(options.logger)
    this.#report = reporter(options)
    this.#queue = new Queue(options)
    this.#drops = new Drops(this.#report, this.#debug)
    this.#flushes = new Flushes(this.#queue, clock)
    this.#interval = new FlushInterval(clock, options.flushAfter, () => this.#flush('interval'))
    this.#page = new Page(() => this.#sender.hurry())
    this.#sender = new Sender({
      queue: this.#queue,
      transport: new Transport(writeKey, options, this.#page),
      options,
      page: this.#page,
      clock,
      random,
      debug: this.#debug,
      onOutcome: (outcome) => this.#settle(outcome),
      onIdle: () => this.#flushes.settle(),
    })
  }

  /** The number of calls so far, by state. */
  get stats(): Stats {
    return { ...this.#counts, dropped: this.#drops.total, pending: this.#queue.pending }
  }

  /**
   * Sends the queue. Resolves when every earlier call, in flight or not, has been delivered or dropped or has failed; at the
   * latest after `timeoutMs`, or when the client has closed. Never rejects.
   */
  flush({ timeoutMs = Infinity }: TimeoutOptions = {}): Promise<FlushResult> {
    this.#flush('flush()')
    return this.#flushes.wait(timeoutMs)
  }

  /**
   * Refuses further calls and flushes for at most `timeoutMs` (default: 30 s). Rejects with a `FlushTimeoutError` if
   * calls remain, which are then no longer sent. A second call returns the promise of the first.
   */
  close({ timeoutMs = CLOSE_TIMEOUT_MS }: TimeoutOptions = {}): Promise<void> {
    return (this.#closing ??= this.#close(timeoutMs))
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  protected override take(message: Message): void {
    if (this.#closing !== undefined) throw new ClientClosedError()
    if (!this.#options.enabled) return
    const hasRoom = this.#makeRoom(message)
    this.#counts.queued++
    if (!hasRoom) return
    this.#queue.push(message)
    const { type, messageId, bytes } = message
    this.#debug?.(`queued ${type} ${messageId} ${bytes} bytes, ${this.#queue.waiting} waiting`)
    if (this.#page.isEnding) this.#flush('page end')
    else if (this.#queue.hasFullBatch && !this.#sender.isSending) this.#flush('size')
    this.#interval.arm()
  }

  /** Makes room if `onFull` allows it. Returns whether the message may be queued. Throws if `onFull` is `'throw'`. */
  #makeRoom(message: Message): boolean {
    const { onFull } = this.#options
    const queue = this.#queue
    if (queue.hasRoomFor(message)) return true
    if (this.#sender.isSending) this.#sender.wake(queue.tail)
    else this.#flush('full queue')
    if (onFull === 'throw') throw new QueueFullError()
    if (onFull === 'drop-oldest') {
      while (queue.waiting > 0 && !queue.hasRoomFor(message)) {
        queue.dropOldest()
        this.#drops.add(onFull)
      }
      if (queue.hasRoomFor(message)) return true
    }
    this.#drops.add(onFull)
    return false
  }

  #flush(cause: string): void {
    this.#interval.restart()
    if (this.#queue.waiting === 0) return
    this.#debug?.(`flush by ${cause}: ${this.#queue.waiting} waiting`)
    // A flush by size sends full batches only and leaves the rest for the next flush.
    this.#sender.wake(cause === 'size' ? 0 : this.#queue.tail)
  }

  async #close(timeoutMs: number): Promise<void> {
    this.#flush('close()')
    const { pending } = await this.#flushes.wait(timeoutMs)
    this.#interval.stop()
    this.#sender.stop()
    this.#page.close()
    this.#flushes.abandon()
    if (pending > 0) throw new FlushTimeoutError(pending)
  }

  #settle(outcome: BatchOutcome): void {
    const { batch, rejected, response, isDelivered } = outcome
    const delivered = outcome.deliveredOfFirst(batch.length)
    this.#counts.delivered += delivered
    this.#counts.failed += batch.length - delivered
    this.#flushes.count(outcome)
    this.#flushes.settle()
    this.#drops.check(this.#queue)
    const others = batch.length - rejected.length
    for (const each of rejected) this.#report(new RejectedError(each))
    if (!isDelivered && others > 0) this.#report(new DeliveryError(others, response))
  }
}
