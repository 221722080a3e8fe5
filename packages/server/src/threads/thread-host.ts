import { BackendUnavailable } from '../backend/backend.ts'
import type { ActivityListener } from '../telemetry/activity-listener.ts'
import type { Logger } from '../telemetry/logger.ts'
import type { Metrics } from '../telemetry/metrics.ts'
import type { ReadThread } from '../telemetry/metrics-of-threads.ts'
import type { Clock } from '../util/time/clock.ts'
import { pause } from '../util/time/pause.ts'
import { Supervisor, type WorkerGivenUp } from '../util/workers/supervisor.ts'
import type { Worker } from '../util/workers/worker.ts'
import {
  type BaseOfMain,
  type BaseOfThread,
  levelsOf,
  repeatActivity,
  writeLine,
} from './run-thread.ts'
import { type Channel, ThreadGone } from './channel.ts'
import { RunningThread, type RunningThreadOptions, type ThreadInput } from './running-thread.ts'

/** The channel to a thread, with the functions that the thread offers. */
export type ThreadChannel<Thread, Main> = Channel<Main & BaseOfMain, Thread & BaseOfThread>

export interface ThreadHostOptions<Thread, Main> extends Omit<
  RunningThreadOptions<Main>,
  'input' | 'functions' | 'levels'
> {
  /** Makes what the thread is started with, anew for each start: a port can be moved once. */
  readonly input: () => ThreadInput | Promise<ThreadInput>
  /** What main offers to the thread: an object of functions, and no instance of a class, whose methods would be lost. */
  readonly functions: Main
  /** The thread is ready, for the first time or again. Hand out its work. */
  readonly onReady?: (channel: ThreadChannel<Thread, Main>) => void
  /** The thread that was ready has ended. Take its work back. */
  readonly onEnded?: () => void
  /** How long a stop waits for the thread to end its work. */
  readonly stopTimeoutMs: number
  readonly metrics: Metrics
  readonly logger: Logger
  readonly activity: ActivityListener
}

/** How long a scrape waits for the metrics of a thread. */
const METRICS_MS = 1_000

/**
 * A thread, as a worker of a `ThreadSupervisor`: a run of the worker is a thread from its start to its end. Its lines of
 * the log, its metrics and its activity become those of main.
 */
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

  /** The channel to the thread; `undefined` while none is ready. */
  get channel(): ThreadChannel<Thread, Main> | undefined {
    return this.#channel
  }

  /** Resolves when the thread is ready. Rejects with the reason where it ends before: then it is started again. */
  ready(): Promise<ThreadChannel<Thread, Main>> {
    return this.#started.promise
  }

  /** Ends the thread at once, as a fault would: it is started again. For tests. */
  terminate(): void {
    this.#thread?.terminate()
  }

  /** Starts a thread. Resolves when it has ended because `signal` aborts, and rejects when it ends for any other reason. */
  async run(signal: AbortSignal): Promise<void> {
    const reason = await this.#untilEnded(signal).catch((error: Error) => error)
    this.#end(reason)
    if (!signal.aborted) throw reason
  }

  /** Starts a thread. Resolves with the reason when it has ended. */
  async #untilEnded(signal: AbortSignal): Promise<Error> {
    const { metrics, stopTimeoutMs } = this.#options
    const thread = this.#start(await this.#options.input())
    this.#thread = thread
    const removeMetrics = metrics.ofThreads.add(this.#readerOf(thread))
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
    // It may have ended before its message was read.
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
    // It rejects nobody who has seen it resolve.
    this.#started.reject(reason)
    this.#started = Promise.withResolvers()
    this.#started.promise.catch(() => undefined)
    if (wasReady) this.#options.onEnded?.()
  }

  #readerOf(thread: RunningThread<Thread, Main>): ReadThread {
    const { clock } = this.#options
    const base = thread.channel as unknown as Channel<BaseOfMain, BaseOfThread>
    return async (onMetrics) => {
      const responded = new AbortController()
      const read = base.call('metrics').then(onMetrics)
      const end = (): void => responded.abort()
      read.then(end, end)
      await pause(clock, METRICS_MS, responded.signal)
    }
  }
}

export interface ThreadSupervisorOptions {
  readonly clock: Clock
  readonly metrics: Pick<Metrics, 'threadFailures'>
  readonly logger: Logger
  /** A thread failed five times within a minute. The process should end. */
  readonly onGiveUp: (failure: WorkerGivenUp) => void
}

/** So that a thread that ends four times in a row, of which each start takes its time, is back within two seconds. */
const FIRST_RESTART_MS = 200

/**
 * Runs threads, and restarts one that ended, by the rule of `Supervisor`: at once after its first failure, so that what it
 * did goes on within two seconds. Disposing of it stops all of them.
 */
export class ThreadSupervisor implements AsyncDisposable {
  readonly #stopping = new AbortController()
  readonly #supervisor: Supervisor

  constructor({ clock, metrics, logger, onGiveUp }: ThreadSupervisorOptions) {
    this.#supervisor = new Supervisor({
      clock,
      restartsAtOnce: true,
      firstRestartMs: FIRST_RESTART_MS,
      isTransient: (error) => error instanceof BackendUnavailable,
      onFailure: ({ worker: thread, error: err, failures, restartInMs }) => {
        metrics.threadFailures.inc({ thread })
        logger.error({ err, thread, failures, restartInMs }, 'thread.failed')
      },
      onGiveUp: (failure) => {
        const { worker: thread, error: err, failures } = failure
        metrics.threadFailures.inc({ thread })
        logger.fatal({ err, thread, failures }, 'thread.given_up')
        onGiveUp(failure)
      },
      signal: this.#stopping.signal,
    })
  }

  /** Starts a thread: a `ThreadHost`. */
  run(thread: Worker): void {
    this.#supervisor.run(thread)
  }

  /** The last error of each failing thread, by its name, until it has run for ten seconds. For the readiness check. */
  get failing(): ReadonlyMap<string, string> {
    return this.#supervisor.failing
  }

  /** Stops all threads, each at the latest after its `stopTimeoutMs`. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping.abort()
    await this.#supervisor.ended()
  }
}

/**
 * Changes of the state that a thread has a copy of. Each resolves when the thread has applied it. A thread that is not ready
 * gets the changes since it was started when it is: it may have read the state before or after them, so applying a change
 * twice must be safe. Where a thread has ended, a change resolves when the thread leaves nothing behind that comes after it.
 */
export class ThreadChanges<Change> {
  readonly #apply: (change: Change) => Promise<unknown> | undefined
  readonly #gone: () => Promise<unknown>
  #missed: Change[] = []

  /**
   * @param apply makes the thread apply a change; `undefined` while no thread is ready
   * @param gone resolves when what the last thread that was ready had posted is done; by default at once
   */
  constructor(
    apply: (change: Change) => Promise<unknown> | undefined,
    gone: () => Promise<unknown> = () => Promise.resolve(),
  ) {
    this.#apply = apply
    this.#gone = gone
  }

  /** A thread is started, which will read the state. */
  onStart(): void {
    this.#missed = []
  }

  /** The thread is ready. What is sent to it after this, it does with all changes applied. */
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

  /** A thread that ends meanwhile reads the state when it is started again. */
  async #onError(error: unknown): Promise<void> {
    if (error instanceof ThreadGone) await this.#gone()
  }
}
