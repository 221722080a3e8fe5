import type { MessagePort } from 'node:worker_threads'
import { systemClock } from '../../util/time/clock.ts'
import type { SecretBox } from '../../util/secrets/secret-box.ts'
import { BackendUnavailableError } from '../backend.ts'
import { sealedEntry } from '../store/audit.ts'
import type { Write, WriteOptions } from '../store/store.ts'
import type { CorruptionWatch } from './corruption/watch.ts'
import type { EventBlock } from './log/event-block.ts'
import { errorOf, type OperationFailure, type OperationOutcome } from './database/sqlite-errors.ts'
import type {
  Operation,
  OperationInput,
  OperationName,
  OperationResult,
} from './write-operations.ts'
import type { AppendedBlock, CommitResult } from './writer-connections.ts'

interface QueuedOperation extends Omit<Operation, 'input'> {
  readonly input: () => unknown
  readonly onCommitted?: ((value: never) => void) | undefined
  readonly resolve: (value: never) => void
  readonly reject: (error: Error) => void
}

/** An operation whose input is built when it is posted. */
export interface OpenOperation<N extends OperationName> {
  readonly done: Promise<OperationResult<N>>
  /** Whether it is the last one queued: then its input can grow without changing the order of calls. */
  readonly isLast: () => boolean
}

interface RunOptions<Value> extends Pick<WriteOptions, 'maxWaitMs'> {
  /** Called with the result, in commit order, before promises settle. Must not throw. */
  readonly onCommitted?: ((result: Value) => void) | undefined
}

/**
 * Writes to the database from one thread. The writer thread (`writer-thread.ts`) performs the operations of all threads, so that no
 * event loop waits for the disk.
 *
 * 1. `run` queues the operation in `#waiting` and schedules a flush for the end of this turn, or within `maxWaitMs`.
 * 2. The flush moves `#waiting` to `#committing` and posts it, unless a transaction is in progress.
 * 3. The thread performs everything posted in one transaction. If that fails, each operation gets its own.
 * 4. The writer settles the promises in call order, and schedules the next flush if operations are
 *    waiting.
 *
 * This is group commit: a slow disk leads to larger transactions, not a longer queue.
 */
export class Writer implements AsyncDisposable {
  readonly #port: MessagePort
  readonly #box: SecretBox
  readonly #watch: CorruptionWatch
  readonly #onAppended: (appended: AppendedBlock) => void
  #waiting: QueuedOperation[] = []
  #committing: readonly QueuedOperation[] = []
  #isScheduled = false
  /** Whether an operation, or the timer of `maxWaitMs`, needs a flush. */
  #isUrgent = false
  #cancelTimer = (): void => undefined
  #flushAt = Infinity
  #failure: Error | undefined
  #onIdle = (): void => undefined

  constructor(options: {
    readonly port: MessagePort
    readonly box: SecretBox
    readonly watch: CorruptionWatch
    readonly onAppended?: (appended: AppendedBlock) => void
  }) {
    this.#port = options.port
    this.#box = options.box
    this.#watch = options.watch
    this.#onAppended = options.onAppended ?? (() => undefined)
    this.#port.on('message', (committed: CommitResult) => this.#onCommit(committed))
    this.#port.on('close', () => this.fail(new Error('The writer thread exited.')))
  }

  /** Performs one operation; resolves when it is on disk. Operations take effect in call order. */
  run<N extends OperationName>(
    name: N,
    input: OperationInput<N>,
    options: RunOptions<OperationResult<N>> = {},
  ): Promise<OperationResult<N>> {
    return this.#add(name, () => input, options)
  }

  /** Like `run`, for a write shared with PostgreSQL. `audit` is committed with it. */
  write<Input, Value>(
    { name }: Write<Input, Value>,
    input: Input,
    options: WriteOptions = {},
  ): Promise<Value> {
    return this.#add(name, () => input, options)
  }

  /** Like `run`, with an input that can grow until the operation is posted, when `input` is called once. */
  runOpen<N extends OperationName>(
    name: N,
    input: () => OperationInput<N>,
    onCommitted: (result: OperationResult<N>) => void,
  ): OpenOperation<N> {
    const done = this.#add(name, input, { onCommitted })
    const added = this.#waiting.at(-1)
    return { done, isLast: () => added !== undefined && this.#waiting.at(-1) === added }
  }

  /** Fails every operation with this error, or with an earlier one. */
  fail(error: Error): void {
    this.#watch.inspect(error)
    this.#failure ??= error
    this.#cancelTimer()
    const lost = [...this.#committing, ...this.#waiting]
    this.#committing = []
    this.#waiting = []
    for (const { reject } of lost) reject(unavailable(this.#failure))
    this.#onIdle()
  }

  /** Finishes queued and posted operations. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#waiting.length > 0) this.#scheduleFlush()
    if (!this.#isIdle()) await new Promise<void>((resolve) => (this.#onIdle = resolve))
    this.#failure ??= new Error('The writer is closed.')
    this.#port.close()
  }

  #isIdle(): boolean {
    return this.#waiting.length === 0 && this.#committing.length === 0
  }

  #add<Value>(
    name: string,
    input: () => unknown,
    { audit, onCommitted, maxWaitMs }: RunOptions<Value> & Pick<WriteOptions, 'audit'>,
  ): Promise<Value> {
    if (this.#failure) return Promise.reject(unavailable(this.#failure))
    const { promise, resolve, reject } = Promise.withResolvers<Value>()
    const sealed = audit && sealedEntry(audit, this.#box)
    this.#waiting.push({ name, input, audit: sealed, onCommitted, resolve, reject })
    if (maxWaitMs === undefined) this.#scheduleFlush()
    else this.#flushBy(systemClock.now() + maxWaitMs)
    return promise
  }

  #flushBy(dueAt: number): void {
    if (dueAt >= this.#flushAt) return
    this.#cancelTimer()
    this.#flushAt = dueAt
    this.#cancelTimer = systemClock.after(dueAt - systemClock.now(), () => this.#scheduleFlush())
  }

  #scheduleFlush(): void {
    this.#isUrgent = true
    if (this.#isScheduled || this.#committing.length > 0) return
    this.#isScheduled = true
    setImmediate(() => this.#flush())
  }

  #flush(): void {
    this.#isScheduled = false
    this.#isUrgent = false
    this.#cancelTimer()
    this.#flushAt = Infinity
    this.#committing = this.#waiting
    this.#waiting = []
    const operations = this.#committing.map(({ name, input, audit }): Operation => {
      return { name, input: input(), audit }
    })
    this.#port.postMessage(operations, operations.flatMap(buffersOf))
  }

  #onCommit({ results, appended }: CommitResult): void {
    if (results !== undefined) this.#settle(results)
    for (const each of appended) this.#onAppended(each)
    if (this.#isIdle()) this.#onIdle()
  }

  #settle(results: readonly OperationOutcome[]): void {
    const committed = this.#committing
    this.#committing = []
    if (this.#isUrgent) this.#scheduleFlush()
    // Continuations of these promises run after this loop.
    for (const [index, { onCommitted, resolve, reject }] of committed.entries()) {
      const result = results[index]!
      if (result.ok) {
        onCommitted?.(result.value as never)
        resolve(result.value as never)
      } else reject(this.#errorOf(result))
    }
  }

  #errorOf(failure: OperationFailure): Error {
    const error = errorOf(failure, (cause) => unavailable(cause, { publicReason: failure.message }))
    this.#watch.inspect(error)
    return error
  }
}

/** The buffers that an append transfers to the writer thread. */
function buffersOf({ name, input }: Operation): ArrayBuffer[] {
  return name === 'appendEvents' ? [(input as EventBlock).bodies.buffer] : []
}

function unavailable(
  cause: Error,
  options: { readonly publicReason?: string } = {},
): BackendUnavailableError {
  const message = `Cannot write to the database: ${cause.message}`
  return new BackendUnavailableError(message, { cause, ...options })
}
