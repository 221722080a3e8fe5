import type { Clock } from '../../../packages/server/src/util/time/clock.ts'
import type { ProcessClock } from './environment/process-clock.ts'
import type { InstrumentedHealth } from './invariants/instrumentation.ts'
import type { SimulatedProcess } from './simulated-process.ts'
import type { SimulatedThreads } from './simulated-threads.ts'

/** A process, with the state that is lost in a crash. */
export interface RunningProcess {
  readonly clock: ProcessClock
  readonly process: SimulatedProcess
  /** The health of receivers, as seen by its lanes. With threads, each thread has its own. */
  readonly health: InstrumentedHealth
  readonly threads: SimulatedThreads | undefined
}

export interface ProcessLifecycleOptions {
  readonly clock: Clock
  readonly open: () => RunningProcess
  readonly onStarted: (process: RunningProcess) => void
  /** Whether the backend is unavailable, or has been at any time since `at`. */
  readonly wasUnavailableSince: (at: number) => boolean
  /** Called when a process exited before it could record the results of all its attempts. */
  readonly onInterrupted: () => void
}

/**
 * Runs one process after another. A process exits in one of these ways, and the next one starts after the downtime:
 *
 *     running ─ kill ─▶ interrupted
 *     running ─ stop ─▶ stopping ─ all attempts recorded ─────▶ stopped gracefully
 *                       stopping ─ the backend is unavailable ─▶ interrupted
 *                       stopping ─ kill ──────────────────────▶ interrupted
 */
export class ProcessLifecycle {
  readonly #options: ProcessLifecycleOptions
  #running: RunningProcess | undefined
  #stopping: RunningProcess | undefined
  #mayStartAt = 0
  #interruptions = 0

  constructor(options: ProcessLifecycleOptions) {
    this.#options = options
  }

  /** The running process, unless it is stopping. */
  get running(): RunningProcess | undefined {
    return this.#running
  }

  /** The running or stopping process. */
  get alive(): RunningProcess | undefined {
    return this.#running ?? this.#stopping
  }

  /** The number of interrupted processes. */
  get interruptions(): number {
    return this.#interruptions
  }

  start(): void {
    this.#running = this.#options.open()
    this.#options.onStarted(this.#running)
  }

  /** Ends the process. The next one starts after `downMs` at the earliest. */
  end(how: 'kill' | 'stop', downMs: number): void {
    const { clock } = this.#options
    const process = this.alive
    this.#mayStartAt = Math.max(this.#mayStartAt, clock.now() + downMs)
    if (process === undefined) this.#startWhenAllowed()
    else if (how === 'kill') this.#ended(process, 'interrupted')
    else if (process === this.#running) void this.#stop(process)
  }

  async #stop(process: RunningProcess): Promise<void> {
    const { clock, wasUnavailableSince } = this.#options
    const stoppedAt = clock.now()
    this.#running = undefined
    this.#stopping = process
    await process.process[Symbol.asyncDispose]()
    // Not reached if the process is killed while it stops, because its clock is also killed.
    this.#ended(process, wasUnavailableSince(stoppedAt) ? 'interrupted' : 'gracefully')
  }

  #ended(process: RunningProcess, how: 'interrupted' | 'gracefully'): void {
    process.clock.kill()
    this.#running = undefined
    this.#stopping = undefined
    if (how === 'interrupted') {
      this.#interruptions++
      this.#options.onInterrupted()
    }
    this.#startWhenAllowed()
  }

  #startWhenAllowed(): void {
    const { clock } = this.#options
    clock.after(this.#mayStartAt - clock.now(), () => {
      const isFree = this.#running === undefined && this.#stopping === undefined
      if (isFree && clock.now() >= this.#mayStartAt) this.start()
    })
  }
}
