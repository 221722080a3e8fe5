import { once } from 'node:events'
import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import { systemClock } from '../../util/clock.ts'
import { BackendUnavailable } from '../backend.ts'
import type {
  Operation,
  OperationInput,
  OperationName,
  OperationResult,
} from './write-operations.ts'
import type { Result, WriterStart } from './writer-thread.ts'

interface Waiting extends Operation {
  readonly resolve: (value: never) => void
  readonly reject: (error: Error) => void
}

// Primary result codes of SQLite for trouble with the machine, not with the statement:
// BUSY, LOCKED, NOMEM, READONLY, IOERR, FULL, CANTOPEN (sqlite.org/rescode.html).
const PASSING = new Set([5, 6, 7, 8, 10, 13, 14])

/** How long what nobody waits for waits for company. */
const LATER_MS = 20

/**
 * The one who writes: a thread of its own, so that no sync of the disk ever stops the event loop.
 *
 * Group commit: the thread has one transaction at a time; everything asked for meanwhile goes into
 * the next one, in the order of asking. So a slow disk makes larger transactions, not a longer queue.
 */
export class Writer implements AsyncDisposable {
  readonly #thread: Worker
  #waiting: Waiting[] = []
  #committing: readonly Waiting[] = []
  #isScheduled = false
  /** Whether something that waits was asked for with `run`. */
  #isUrgent = false
  #cancelTimer: (() => void) | undefined
  #failure: Error | undefined
  #onIdle = (): void => undefined

  constructor(start: WriterStart) {
    const entry = new URL(`./writer-thread${extname(import.meta.url)}`, import.meta.url)
    this.#thread = new Worker(entry, { workerData: start, name: 'hookline-writer' })
    this.#thread.on('message', (results: readonly Result[]) => this.#settle(results))
    this.#thread.on('error', (error) => this.#fail(error as Error))
    this.#thread.on('exit', () => this.#fail(new Error('The writer has ended.')))
  }

  /**
   * Does one operation; resolves with its result once that is on disk. Operations take effect in the
   * order of the calls. @throws {BackendUnavailable} where nothing was done and a later try may succeed
   */
  run<N extends OperationName>(name: N, input: OperationInput<N>): Promise<OperationResult<N>> {
    const done = this.#add(name, input)
    this.#schedule()
    return done
  }

  /** As `run`, for what nobody waits for: together with what is written next, at the latest after LATER_MS. */
  runLater<N extends OperationName>(
    name: N,
    input: OperationInput<N>,
  ): Promise<OperationResult<N>> {
    const done = this.#add(name, input)
    this.#cancelTimer ??= systemClock.after(LATER_MS, () => this.#schedule())
    return done
  }

  /** Finishes what was asked for, then closes the database. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#waiting.length > 0) this.#schedule()
    if (!this.#isIdle()) await new Promise<void>((resolve) => (this.#onIdle = resolve))
    if (this.#failure) return
    const exited = once(this.#thread, 'exit')
    this.#thread.postMessage('close')
    await exited
  }

  #isIdle(): boolean {
    return this.#waiting.length === 0 && this.#committing.length === 0
  }

  #add<N extends OperationName>(name: N, input: OperationInput<N>): Promise<OperationResult<N>> {
    if (this.#failure) return Promise.reject(unavailable(this.#failure))
    const { promise, resolve, reject } = Promise.withResolvers<OperationResult<N>>()
    this.#waiting.push({ name, input, resolve, reject })
    return promise
  }

  // At the end of this turn of the event loop, so that all requests read in it share a transaction.
  #schedule(): void {
    this.#isUrgent = true
    if (this.#isScheduled || this.#committing.length > 0) return
    this.#isScheduled = true
    setImmediate(() => {
      this.#isScheduled = false
      this.#isUrgent = false
      this.#cancelTimer?.()
      this.#cancelTimer = undefined
      this.#committing = this.#waiting
      this.#waiting = []
      this.#thread.postMessage(
        this.#committing.map(({ name, input }): Operation => ({ name, input })),
      )
    })
  }

  #settle(results: readonly Result[]): void {
    const committed = this.#committing
    this.#committing = []
    if (this.#isUrgent) this.#schedule()
    for (const [index, { resolve, reject }] of committed.entries()) {
      const result = results[index]!
      if (result.ok) resolve(result.value as never)
      else reject(errorOf(result))
    }
    if (this.#isIdle()) this.#onIdle()
  }

  #fail(error: Error): void {
    this.#failure ??= error
    this.#cancelTimer?.()
    const lost = [...this.#committing, ...this.#waiting]
    this.#committing = []
    this.#waiting = []
    for (const { reject } of lost) reject(unavailable(this.#failure))
    this.#onIdle()
  }
}

function errorOf({ message, sqliteCode }: Result & { ok: false }): Error {
  const error = new Error(`SQLite: ${message}`)
  return sqliteCode !== undefined && PASSING.has(sqliteCode & 0xff) ? unavailable(error) : error
}

function unavailable(cause: Error): BackendUnavailable {
  return new BackendUnavailable(`The database cannot be written: ${cause.message}`, { cause })
}
