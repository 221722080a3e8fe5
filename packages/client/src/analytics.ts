import { AnalyticsCalls, type MadeCall } from './calls/analytics-calls.ts'
import type { EventMap } from './calls/call.ts'
import type { ClientOptions } from './client-options.ts'
import { type Clock, systemClock } from './clock.ts'
import { debugLines, type Say } from './sending/debug.ts'
import { Drops } from './queue/drops.ts'
import {
  ClientClosedError,
  DeliveryError,
  FlushTimeoutError,
  QueueFullError,
  RejectedError,
  type ReportedError,
} from './errors.ts'
import type { Fate } from './queue/fate.ts'
import { FlushInterval } from './queue/flush-interval.ts'
import { Flushes, type FlushResult } from './queue/flushes.ts'
import { type Options, resolveOptions } from './options.ts'
import { Queue } from './queue/queue.ts'
import { reporter } from './sending/report.ts'
import { Sender } from './sending/sender.ts'
import { Transport } from './sending/transport.ts'

/** What became of the calls so far. `queued` is the sum of the others. */
export interface Stats {
  /** Calls that were taken: all but those that threw. */
  readonly queued: number
  readonly delivered: number
  readonly failed: number
  readonly dropped: number
  /** Waiting, or on the way. */
  readonly pending: number
}

/** How long a flush or a close may take. */
export interface Patience {
  readonly timeoutMs?: number | undefined
}

/** Time and chance, which a test may take in hand. */
interface Surroundings {
  readonly clock?: Clock
  readonly random?: () => number
}

const CLOSE_TIMEOUT_MS = 30_000

/**
 * Sends analytics calls to Hookline. A call is checked, serialised and queued, and returns; one request at a
 * time carries the queue away, in order. Give it the type of your events: `new Analytics<{ 'Order
 * Completed': { revenue: number } }>(writeKey)`.
 */
export class Analytics<Events extends EventMap = EventMap>
  extends AnalyticsCalls<Events>
  implements AsyncDisposable
{
  readonly #options: Options
  readonly #say: Say | undefined
  readonly #report: (error: ReportedError) => void
  readonly #queue: Queue
  readonly #sender: Sender
  readonly #flushes: Flushes
  readonly #interval: FlushInterval
  readonly #drops: Drops
  readonly #counts = { queued: 0, delivered: 0, failed: 0 }
  #closing: Promise<void> | undefined

  /** Throws for options that cannot work. `surroundings` is for the tests of this library. */
  constructor(writeKey: string, given: ClientOptions = {}, surroundings: Surroundings = {}) {
    const options = resolveOptions(given)
    const { clock = systemClock, random = Math.random } = surroundings
    super(options.maxMessageBytes, clock)
    this.#options = options
    this.#say = debugLines(options.logger)
    this.#report = reporter(options)
    this.#queue = new Queue(options)
    this.#drops = new Drops(this.#report, this.#say)
    this.#flushes = new Flushes(this.#queue, clock)
    this.#interval = new FlushInterval(clock, options.flushAfter, () => this.#flush('interval'))
    this.#sender = new Sender({
      queue: this.#queue,
      transport: new Transport(writeKey, options),
      options,
      clock,
      random,
      say: this.#say,
      onFate: (fate) => this.#settle(fate),
      onIdle: () => this.#flushes.settle(),
    })
  }

  /** What became of the calls so far. */
  get stats(): Stats {
    return { ...this.#counts, dropped: this.#drops.total, pending: this.#queue.pending }
  }

  /**
   * Sends what waits. Resolves when all calls made before have arrived, failed or been dropped, those that
   * are on their way included; with `timeoutMs` no later than that. Never rejects.
   */
  flush({ timeoutMs = Infinity }: Patience = {}): Promise<FlushResult> {
    this.#flush('flush()')
    return this.#flushes.wait(timeoutMs)
  }

  /**
   * Refuses further calls and flushes, for at most `timeoutMs` (30 s unless given). Rejects with a
   * `FlushTimeoutError` if something is left then; it is not sent any more. A second call is the first one.
   */
  close({ timeoutMs = CLOSE_TIMEOUT_MS }: Patience = {}): Promise<void> {
    return (this.#closing ??= this.#close(timeoutMs))
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  protected override take(call: MadeCall): void {
    if (this.#closing !== undefined) throw new ClientClosedError()
    if (!this.#options.enabled) return
    const hasRoom = this.#makeRoom(call)
    this.#counts.queued++
    if (!hasRoom) return
    this.#queue.push(call)
    const { type, messageId, bytes } = call
    this.#say?.(`queued ${type} ${messageId} ${bytes} bytes, ${this.#queue.waiting} waiting`)
    if (this.#queue.hasFullBatch && !this.#sender.isSending) this.#flush('size')
    this.#interval.arm()
  }

  /** Whether the call may be queued. Throws where it is to be refused. */
  #makeRoom(call: MadeCall): boolean {
    const { onFull } = this.#options
    const queue = this.#queue
    if (queue.hasRoomFor(call)) return true
    if (this.#sender.isSending) this.#sender.wake(queue.tail)
    else this.#flush('full queue')
    if (onFull === 'throw') throw new QueueFullError()
    if (onFull === 'drop-oldest') {
      while (queue.waiting > 0 && !queue.hasRoomFor(call)) {
        queue.dropOldest()
        this.#drops.add(onFull)
      }
      if (queue.hasRoomFor(call)) return true
    }
    this.#drops.add(onFull)
    return false
  }

  #flush(cause: string): void {
    this.#interval.restart()
    if (this.#queue.waiting === 0) return
    this.#say?.(`flush by ${cause}: ${this.#queue.waiting} waiting`)
    // A flush by size leaves to the next one what does not fill a batch.
    this.#sender.wake(cause === 'size' ? 0 : this.#queue.tail)
  }

  async #close(timeoutMs: number): Promise<void> {
    this.#flush('close()')
    const { pending } = await this.#flushes.wait(timeoutMs)
    this.#interval.stop()
    this.#sender.stop()
    this.#flushes.abandon()
    if (pending > 0) throw new FlushTimeoutError(pending)
  }

  #settle(fate: Fate): void {
    const { batch, rejected, answer, isDelivered } = fate
    const delivered = fate.deliveredOfFirst(batch.length)
    this.#counts.delivered += delivered
    this.#counts.failed += batch.length - delivered
    this.#flushes.count(fate)
    this.#flushes.settle()
    this.#drops.check(this.#queue)
    const unnamed = batch.length - rejected.length
    for (const each of rejected) this.#report(new RejectedError(each))
    if (!isDelivered && unnamed > 0) this.#report(new DeliveryError(unnamed, answer))
  }
}
