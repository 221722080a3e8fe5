import { BackendUnavailableError } from '../backend/backend.ts'
import type { ActivityListener } from '../telemetry/activity-listener.ts'
import type { Logger } from '../telemetry/logger.ts'
import type { Metrics } from '../telemetry/metrics.ts'
import type { ReadThread } from '../telemetry/thread-metrics-registry.ts'
import type { Clock } from '../util/time/clock.ts'
import { sleep } from '../util/time/sleep.ts'
import { Supervisor, type FailedWorker } from '../util/workers/supervisor.ts'
import type { Worker } from '../util/workers/worker.ts'
import {
  type BaseMainFunctions,
  type BaseThreadFunctions,
  levelsOf,
  repeatActivity,
  writeLine,
} from './run-thread.ts'
import { type Channel, ThreadExitedError } from './channel.ts'
import { RunningThread, type RunningThreadOptions, type ThreadInput } from './running-thread.ts'

export type ThreadChannel<Thread, Main> = Channel<
  Main & BaseMainFunctions,
  Thread & BaseThreadFunctions
>

export interface ThreadHostOptions<Thread, Main> extends Omit<
  RunningThreadOptions<Main>,
  'input' | 'functions' | 'levels'
> {
  /** Creates the input for each start, because a port can be transferred only once. */
  readonly input: () => ThreadInput | Promise<ThreadInput>
  readonly functions: Main
  /** Called when the thread is ready, for the first time or after a restart: send it work. */
  readonly onReady?: (channel: ThreadChannel<Thread, Main>) => void
  /** Called when a ready thread has exited: take its work back. */
  readonly onEnded?: () => void
  readonly stopTimeoutMs: number
  readonly metrics: Metrics
  readonly logger: Logger
  readonly activity: ActivityListener
}

const METRICS_MS = 1_000

/** Runs a thread as a worker: a run lasts as long as the thread. Main gets the log lines, metrics and activity of the thread. */
export class ThreadHost<Thread, Main> implements Worker {
  readonly name: string
  readonly #options: ThreadHostOptions<Thread, Main>
  #thread: RunningThread<Thread, Main> | undefined
  #channel: ThreadChannel<Thread, Main> | undefined
  #started = Promise.withResolvers<ThreadChannel<Thread, Main>>()

  constructor(options: ThreadHostOptions<Thread, Main>) {
    this.name = options.name
    this.#options = options
    this.#started.promise.catch(() => undefined)
  }

  get channel(): ThreadChannel<Thread, Main> | undefined {
    return this.#channel
  }

  /** Resolves when the thread is ready. Rejects if it ends first; it is then restarted. */
  ready(): Promise<ThreadChannel<Thread, Main>> {
    return this.#started.promise
  }

  /** Terminates the thread as if it had crashed, so it is restarted. For tests. */
  terminate(): void {
    this.#thread?.terminate()
  }

  /** Resolves when the thread has ended because `signal` aborted, and rejects when it ends otherwise. */
  async run(signal: AbortSignal): Promise<void> {
    const reason = await this.#untilEnded(signal).catch((error: Error) => error)
    this.#end(reason)
    if (!signal.aborted) throw reason
  }

  async #untilEnded(signal: AbortSignal): Promise<Error> {
    const { metrics, stopTimeoutMs } = this.#options
    const thread = this.#start(await this.#options.input())
    this.#thread = thread
    const removeMetrics = metrics.threadMetrics.add(this.#readerOf(thread))
    const stop = (): void => thread.stop(stopTimeoutMs)
    signal.addEventListener('abort', stop, { once: true })
    if (signal.aborted) stop()
    const reason = await thread.ended
    signal.removeEventListener('abort', stop)
    removeMetrics()
    return reason
  }

  #start(input: ThreadInput): RunningThread<Thread, Main> {
    const { logger, activity, functions } = this.#options
    const thread: RunningThread<Thread, Main> = new RunningThread({
      ...this.#options,
      input,
      levels: levelsOf(logger),
      functions: {
        ...functions,
        ready: () => this.#begin(thread),
        log: (line) => writeLine(logger, this.name, line),
        activity: (call) => repeatActivity(activity, call),
      },
    })
    return thread
  }

  #begin(thread: RunningThread<Thread, Main>): void {
    // The thread may have exited before its message was read.
    if (thread !== this.#thread) return
    const { channel } = thread
    this.#channel = channel
    this.#options.onReady?.(channel)
    this.#started.resolve(channel)
  }

  #end(reason: Error): void {
    const wasReady = this.#channel !== undefined
    this.#channel = undefined
    this.#thread = undefined
    // No effect if `started` has already resolved.
    this.#started.reject(reason)
    this.#started = Promise.withResolvers()
    this.#started.promise.catch(() => undefined)
    if (wasReady) this.#options.onEnded?.()
  }

  #readerOf(thread: RunningThread<Thread, Main>): ReadThread {
    const { clock } = this.#options
    const base = thread.channel as unknown as Channel<BaseMainFunctions, BaseThreadFunctions>
    return async (onMetrics) => {
      const responded = new AbortController()
      const read = base.call('metrics').then(onMetrics)
      const end = (): void => responded.abort()
      read.then(end, end)
      await sleep(clock, METRICS_MS, responded.signal)
    }
  }
}

export interface ThreadSupervisorOptions {
  readonly clock: Clock
  readonly metrics: Pick<Metrics, 'threadFailures'>
  readonly logger: Logger
  /** Called when a thread has failed five times within a minute: the process should exit. */
  readonly onPermanentFailure: (failure: FailedWorker) => void
}

/**
 * The delay before the second restart; the first one is immediate. A thread that fails four times in a row is back within two
 * seconds.
 */
const FIRST_RESTART_MS = 200

/** Runs threads, and restarts them by the policy of `Supervisor`, the first time immediately. Disposing stops them all. */
export class ThreadSupervisor extends Supervisor implements AsyncDisposable {
  readonly #stopping: AbortController

  constructor({ clock, metrics, logger, onPermanentFailure }: ThreadSupervisorOptions) {
    const stopping = new AbortController()
    super({
      clock,
      restartsImmediately: true,
      firstRestartMs: FIRST_RESTART_MS,
      isTransient: (error) => error instanceof BackendUnavailableError,
      onFailure: ({ worker: thread, error: err, failures, restartInMs }) => {
        metrics.threadFailures.inc({ thread })
        logger.error({ err, thread, failures, restartInMs }, 'thread.failed')
      },
      onPermanentFailure: (failure) => {
        const { worker: thread, error: err, failures } = failure
        metrics.threadFailures.inc({ thread })
        logger.fatal({ err, thread, failures }, 'thread.failed_permanently')
        onPermanentFailure(failure)
      },
      signal: stopping.signal,
    })
    this.#stopping = stopping
  }

  /** Stops all threads, each within its `stopTimeoutMs`. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping.abort()
    await this.ended()
  }
}

/**
 * Changes to state that a thread copies. A change resolves when the thread has applied it. A thread that starts gets
 * the changes since its start when it is ready: it may have read the state before or after them, so changes must be
 * idempotent. If the thread has ended, a change resolves once none of the thread's writes can follow it.
 */
export class ThreadChanges<Change> {
  readonly #apply: (change: Change) => Promise<unknown> | undefined
  readonly #gone: () => Promise<unknown>
  #missed: Change[] = []

  /**
   * @param apply applies a change in the thread; `undefined` while none is ready
   * @param gone resolves when all posted work of the last ready thread is done; defaults to immediately
   */
  constructor(
    apply: (change: Change) => Promise<unknown> | undefined,
    gone: () => Promise<unknown> = () => Promise.resolve(),
  ) {
    this.#apply = apply
    this.#gone = gone
  }

  onStart(): void {
    this.#missed = []
  }

  /** Sends the missed changes. Call it when the thread is ready, before other messages. */
  onReady(): void {
    const missed = this.#missed
    this.#missed = []
    for (const change of missed) void this.apply(change)
  }

  async apply(change: Change): Promise<void> {
    const applied = this.#apply(change)
    if (applied === undefined) {
      this.#missed.push(change)
      await this.#gone()
    } else await applied.catch((error: unknown) => this.#onError(error))
  }

  /**
   * Waits for the last writes of an ended thread. Its replacement reads the state, so the change need not be sent again.
   */
  async #onError(error: unknown): Promise<void> {
    if (error instanceof ThreadExitedError) await this.#gone()
  }
}
