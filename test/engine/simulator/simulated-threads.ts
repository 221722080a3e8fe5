import type {
  OpenedThread,
  ThreadOptions,
} from '../../../packages/server/src/threads/running-thread.ts'
import { type LanesOfThread, SimulatedThread, type ThreadEnvironment } from './simulated-thread.ts'

/** The lane threads of one simulated process. */
export class SimulatedThreads {
  readonly count: number
  readonly #environment: ThreadEnvironment
  /** The latest thread of each number. */
  readonly #threads = new Map<number, SimulatedThread>()

  constructor(count: number, environment: ThreadEnvironment) {
    this.count = count
    this.#environment = environment
  }

  open(thread: ThreadOptions): OpenedThread {
    const opened = new SimulatedThread(thread, this.#environment)
    this.#threads.set(opened.number, opened)
    return opened
  }

  /** The lanes of all running threads. */
  get lanes(): readonly LanesOfThread[] {
    return [...this.#threads.values()].flatMap(({ lanes }) => lanes ?? [])
  }

  get areUp(): boolean {
    return this.lanes.length === this.count
  }

  /** The thread with the lanes of the destination; `undefined` while it is being restarted. */
  of(
    destinationId: string,
  ): { readonly number: number; readonly lanes: LanesOfThread } | undefined {
    for (const thread of this.#threads.values()) {
      const { number, lanes } = thread
      if (lanes !== undefined && thread.owns(destinationId)) return { number, lanes }
    }
    return undefined
  }

  /** Kills the thread. Returns a predicate for its destinations; `undefined` if it was not running. */
  kill(number: number): ((destinationId: string) => boolean) | undefined {
    const thread = this.#threads.get(number)
    const wasRunning = thread?.lanes !== undefined
    thread?.kill()
    return wasRunning ? (id) => thread.owns(id) : undefined
  }
}
