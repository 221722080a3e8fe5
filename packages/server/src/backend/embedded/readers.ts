import type { Worker } from 'node:worker_threads'
import { BackendUnavailable } from '../backend.ts'
import type { DamageWatch } from './damage/damage-watch.ts'
import { LogSize } from './database/write-ahead-log.ts'
import { errorOf, type Result } from './database/sqlite-errors.ts'
import type { Read, ReadInput, ReadName, ReadResult, ReaderStart } from './reader-thread.ts'
import { startThread } from '../../util/workers/start-thread.ts'

/** Threads at most. */
const THREADS = 2
/** Reads that may wait for a thread. */
const MOST_WAITING = 256
/** A thread whose results need more memory ends, and the process goes on. */
const MEMORY = { maxYoungGenerationSizeMb: 8, maxOldGenerationSizeMb: 256 }

interface Waiting extends Read {
  readonly done: Promise<unknown>
  readonly resolve: (value: never) => void
  readonly reject: (error: Error) => void
}

/**
 * Threads for long reads (`reader-thread.ts`), so that neither the event loop nor the writer waits for them. A thread starts
 * when a read finds no free one. When it ends or throws, its read rejects, and the next read starts another.
 *
 * Each read is one read transaction, which sees all that was committed before the call. Reads begin in the order of the
 * calls. If the write-ahead log is too large, the next read waits until all others have ended and the log is emptied.
 */
export class Readers implements AsyncDisposable {
  readonly #start: ReaderStart
  readonly #logSize: LogSize
  readonly #emptyLog: () => Promise<unknown>
  readonly #watch: DamageWatch
  /** Each thread with its read; `undefined` while it is free. */
  readonly #threads = new Map<Worker, Waiting | undefined>()
  readonly #waiting: Waiting[] = []
  #pauses = 0
  #isClosed = false

  /** @param emptyLog empties the write-ahead log; called while no read is under way */
  constructor(file: string, emptyLog: () => Promise<unknown>, watch: DamageWatch) {
    this.#start = { file }
    this.#watch = watch
    this.#logSize = new LogSize(file)
    this.#emptyLog = emptyLog
  }

  /**
   * Performs one read, and resolves with its result.
   * @throws {BackendUnavailable} where a later try may succeed
   */
  run<N extends ReadName>(name: N, input: ReadInput<N>): Promise<ReadResult<N>> {
    return this.read(name, input) as Promise<ReadResult<N>>
  }

  /** As `run`, for a read of both engines. */
  read(name: string, input: unknown): Promise<unknown> {
    if (this.#isClosed) return Promise.reject(closed())
    if (this.#waiting.length >= MOST_WAITING) {
      const message = `Too many reads wait for the database: ${MOST_WAITING}. Try again later.`
      return Promise.reject(new BackendUnavailable(message))
    }
    const { promise, resolve, reject } = Promise.withResolvers<unknown>()
    this.#waiting.push({ name, input, done: promise, resolve, reject })
    this.#assign()
    return promise
  }

  /** Waits for the reads that are under way, then does the work. Reads that are called meanwhile begin afterwards. */
  async whilePaused<T>(work: () => Promise<T>): Promise<T> {
    this.#pauses++
    try {
      await Promise.allSettled([...this.#threads.values()].flatMap((read) => read?.done ?? []))
      return await work()
    } finally {
      this.#pauses--
      this.#assign()
    }
  }

  /** Ends the threads, each after its read. Reads that still wait reject. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true
    for (const { reject } of this.#waiting.splice(0)) reject(closed())
    const threads = [...this.#threads.keys()]
    await Promise.all(
      threads.map((thread) => {
        const { promise, resolve } = Promise.withResolvers<unknown>()
        thread.once('exit', resolve)
        thread.postMessage('close')
        return promise
      }),
    )
  }

  /** Gives waiting reads to free threads. */
  #assign(): void {
    while (this.#waiting.length > 0 && this.#pauses === 0) {
      if (this.#logSize.isTooLarge()) return void this.whilePaused(() => this.#shrinkLog())
      const thread = this.#freeThread()
      if (thread === undefined) return
      const read = this.#waiting.shift()!
      this.#threads.set(thread, read)
      thread.postMessage({ name: read.name, input: read.input } satisfies Read)
    }
  }

  async #shrinkLog(): Promise<void> {
    // Where it fails, as on a full disk, reads go on. The cause shows at the next write.
    await this.#emptyLog().catch(() => undefined)
    this.#logSize.reset()
  }

  #freeThread(): Worker | undefined {
    for (const [thread, read] of this.#threads) if (read === undefined) return thread
    return this.#threads.size < THREADS ? this.#startThread() : undefined
  }

  #startThread(): Worker {
    const thread = startThread(new URL('./reader-thread', import.meta.url), {
      name: 'hookline-reader',
      workerData: this.#start,
      resourceLimits: MEMORY,
    })
    thread.on('message', (result: Result) => this.#settle(thread, result))
    thread.on('error', (error) => this.#lose(thread, error as Error))
    thread.on('exit', () => this.#lose(thread, new Error('The reader has ended.')))
    this.#threads.set(thread, undefined)
    return thread
  }

  #settle(thread: Worker, result: Result): void {
    const { resolve, reject } = this.#threads.get(thread)!
    this.#threads.set(thread, undefined)
    this.#assign()
    if (result.ok) resolve(result.value as never)
    else reject(this.#seen(errorOf(result, unavailable)))
  }

  #seen(error: Error): Error {
    this.#watch.see(error)
    return error
  }

  #lose(thread: Worker, error: Error): void {
    const read = this.#threads.get(thread)
    this.#threads.delete(thread)
    read?.reject(unavailable(this.#seen(error)))
    this.#assign()
  }
}

function unavailable(cause: Error): BackendUnavailable {
  return new BackendUnavailable(`The database cannot be read: ${cause.message}`, { cause })
}

function closed(): BackendUnavailable {
  return new BackendUnavailable('The database cannot be read: it is closed.')
}
