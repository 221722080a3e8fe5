import type { Worker } from 'node:worker_threads'
import { BackendUnavailableError } from '../backend.ts'
import type { CorruptionWatch } from './corruption/watch.ts'
import { walBytes } from './database/write-ahead-log.ts'
import { errorOf, type OperationOutcome } from './database/sqlite-errors.ts'
import type { ReadRequest, ReadInput, ReadName, ReadResult } from './reader-thread.ts'
import { startThread } from '../../util/workers/start-thread.ts'

const THREADS = 2
/** The maximum number of queued reads. */
const MAX_WAITING = 256
/** A thread that exceeds these limits exits, and the process continues. */
const MEMORY = { maxYoungGenerationSizeMb: 8, maxOldGenerationSizeMb: 256 }

/** How far the write-ahead log may grow. SQLite restarts it at 16 MB, but only while there are no readers. */
const LOG_GROWTH_BYTES = 64 * 2 ** 20

interface QueuedRead extends ReadRequest {
  readonly done: Promise<unknown>
  readonly resolve: (value: never) => void
  readonly reject: (error: Error) => void
}

/**
 * Threads for long reads (`reader-thread.ts`). Reads start in call order and see all that was
 * committed before the call. If the write-ahead log is too large, the next read waits until all
 * running reads have ended and the log is emptied.
 */
export class Readers implements AsyncDisposable {
  readonly #file: string
  #maxLogBytes = LOG_GROWTH_BYTES
  readonly #emptyLog: () => Promise<unknown>
  readonly #watch: CorruptionWatch
  readonly #threads = new Map<Worker, QueuedRead | undefined>()
  readonly #waiting: QueuedRead[] = []
  #pauses = 0
  #isClosed = false

  /** @param emptyLog empties the write-ahead log; called while no read is running */
  constructor(file: string, emptyLog: () => Promise<unknown>, watch: CorruptionWatch) {
    this.#file = file
    this.#watch = watch
    this.#emptyLog = emptyLog
  }

  /** Performs one read. @throws {BackendUnavailableError} if a retry may succeed */
  run<N extends ReadName>(name: N, input: ReadInput<N>): Promise<ReadResult<N>> {
    return this.read(name, input) as Promise<ReadResult<N>>
  }

  read(name: string, input: unknown): Promise<unknown> {
    if (this.#isClosed) return Promise.reject(closedError())
    if (this.#waiting.length >= MAX_WAITING) {
      const message = `Too many reads are waiting for the database: ${MAX_WAITING}. Try again later.`
      return Promise.reject(new BackendUnavailableError(message))
    }
    const { promise, resolve, reject } = Promise.withResolvers<unknown>()
    this.#waiting.push({ name, input, done: promise, resolve, reject })
    this.#assign()
    return promise
  }

  /** Waits for the running reads, then does the work. Later reads start afterwards. */
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

  /** Stops each thread after its read. Queued reads reject. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true
    for (const { reject } of this.#waiting.splice(0)) reject(closedError())
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

  #assign(): void {
    while (this.#waiting.length > 0 && this.#pauses === 0) {
      if (walBytes(this.#file) > this.#maxLogBytes)
        return void this.whilePaused(() => this.#shrinkLog())
      const thread = this.#freeThread()
      if (thread === undefined) return
      const read = this.#waiting.shift()!
      this.#threads.set(thread, read)
      thread.postMessage({ name: read.name, input: read.input } satisfies ReadRequest)
    }
  }

  async #shrinkLog(): Promise<void> {
    // If this fails, as on a full disk, reads continue; the next write reports the cause.
    await this.#emptyLog().catch(() => undefined)
    this.#maxLogBytes = walBytes(this.#file) + LOG_GROWTH_BYTES
  }

  #freeThread(): Worker | undefined {
    for (const [thread, read] of this.#threads) if (read === undefined) return thread
    return this.#threads.size < THREADS ? this.#startThread() : undefined
  }

  #startThread(): Worker {
    const thread = startThread(new URL('./reader-thread', import.meta.url), {
      name: 'hookline-reader',
      workerData: { file: this.#file },
      resourceLimits: MEMORY,
    })
    thread.on('message', (result: OperationOutcome) => this.#settle(thread, result))
    thread.on('error', (error) => this.#lose(thread, error as Error))
    thread.on('exit', () => this.#lose(thread, new Error('The reader thread exited.')))
    this.#threads.set(thread, undefined)
    return thread
  }

  #settle(thread: Worker, result: OperationOutcome): void {
    const { resolve, reject } = this.#threads.get(thread)!
    this.#threads.set(thread, undefined)
    this.#assign()
    if (result.ok) resolve(result.value as never)
    else reject(this.#seen(errorOf(result, unavailable)))
  }

  #seen(error: Error): Error {
    this.#watch.inspect(error)
    return error
  }

  #lose(thread: Worker, error: Error): void {
    const read = this.#threads.get(thread)
    this.#threads.delete(thread)
    read?.reject(unavailable(this.#seen(error)))
    this.#assign()
  }
}

function unavailable(cause: Error): BackendUnavailableError {
  return new BackendUnavailableError(`The database cannot be read: ${cause.message}`, { cause })
}

function closedError(): BackendUnavailableError {
  return new BackendUnavailableError('The database cannot be read: it is closed.')
}
