import type { MessagePort, Transferable } from 'node:worker_threads'
import { systemClock } from '../../util/time/clock.ts'
import type { SecretBox } from '../../util/secrets/secret-box.ts'
import type { AuditEntry } from '../audit.ts'
import { BackendUnavailable } from '../backend.ts'
import { sealedEntry } from '../store/audit.ts'
import type { Write, WriteOptions } from '../store/store.ts'
import type { DamageWatch } from './damage/damage-watch.ts'
import { errorOf, type Failure, type Result } from './database/sqlite-errors.ts'
import type {
  Operation,
  OperationInput,
  OperationName,
  OperationResult,
} from './write-operations.ts'
import type { AppendedBlock, Committed } from './writer-connections.ts'

interface Waiting extends Omit<Operation, 'input'> {
  readonly input: () => Posted<unknown>
  readonly onCommitted?: ((value: never) => void) | undefined
  readonly resolve: (value: never) => void
  readonly reject: (error: Error) => void
}

/** The input of an operation as it is posted. */
interface Posted<T> {
  readonly input: T
  /** What the input gives away. */
  readonly transfer: readonly Transferable[]
}

/** An operation of which the input is made when it is posted. */
export interface OpenOperation<N extends OperationName> {
  readonly done: Promise<OperationResult<N>>
  /** Whether it is the last one that waits: then more can be added to its input, and the order of the calls stays. */
  readonly isLast: () => boolean
}

interface RunOptions<Value> {
  /** Called with the result before the promises of its transaction are settled, in the order of the commits. Must not throw. */
  readonly onCommitted?: ((result: Value) => void) | undefined
  /** No caller awaits the write: it is flushed with the next one, at the latest after LATER_MS. */
  readonly canWait?: boolean
}

interface AddOptions<Value> extends RunOptions<Value> {
  readonly audit?: AuditEntry | undefined
}

const NOTHING_GIVEN: readonly Transferable[] = []

/** How long a write that no caller awaits may wait before it is flushed. */
const LATER_MS = 20

/**
 * Writes to the database, from one thread of the process. The writer's thread (`writer-thread.ts`) performs the operations
 * of all threads, so that no event loop waits for the disk.
 *
 * 1. `run` adds the operation to `#waiting` and schedules a flush for the end of this turn of the event loop; with `canWait`,
 *    for when LATER_MS have passed. While a transaction is in progress there is no flush.
 * 2. The flush moves `#waiting` to `#committing`, in the order of the calls, and posts it to the thread.
 * 3. The thread performs what has arrived from all threads in one transaction, with one sync of the disk. If that fails,
 *    it performs each operation in its own transaction, so that one failed operation fails no other.
 * 4. The writer flushes what was added meanwhile, then settles the promises in the order of the calls.
 *
 * This is group commit: a slow disk makes larger transactions, not a longer queue. When the thread ends, all operations,
 * also later ones, reject with `BackendUnavailable`.
 */
export class Writer implements AsyncDisposable {
  readonly #port: MessagePort
  readonly #box: SecretBox
  readonly #watch: DamageWatch
  readonly #onAppended: (appended: AppendedBlock) => void
  #waiting: Waiting[] = []
  #committing: readonly Waiting[] = []
  #isScheduled = false
  /** Whether an operation, or the timer of `canWait`, has asked for a flush that has not happened yet. */
  #isUrgent = false
  #cancelTimer: (() => void) | undefined
  #failure: Error | undefined
  #onIdle = (): void => undefined

  constructor(options: {
    /** Made by `WriterHost.connect`. */
    readonly port: MessagePort
    /** Seals audit entries. */
    readonly box: SecretBox
    readonly watch: DamageWatch
    /** Called for what other threads have appended, in the order of the commits. */
    readonly onAppended?: (appended: AppendedBlock) => void
  }) {
    this.#port = options.port
    this.#box = options.box
    this.#watch = options.watch
    this.#onAppended = options.onAppended ?? (() => undefined)
    this.#port.on('message', (committed: Committed) => this.#onCommit(committed))
    this.#port.on('close', () => this.fail(new Error('The writer has ended.')))
  }

  /**
   * Performs one operation, and resolves with its result when that is on disk. Operations take effect in the
   * order of the calls.
   * @throws {BackendUnavailable} where the operation had no effect and a later try may succeed
   */
  run<N extends OperationName>(
    name: N,
    input: OperationInput<N>,
    { canWait = false, onCommitted }: RunOptions<OperationResult<N>> = {},
  ): Promise<OperationResult<N>> {
    return this.#add(name, input, { canWait, onCommitted })
  }

  /** As `run`, for a write of both engines. `audit` is the entry of the change: both are on disk, or neither is. */
  write<Input, Value>(
    { name }: Write<Input, Value>,
    input: Input,
    { audit, canWait = false }: Pick<WriteOptions, 'audit' | 'canWait'> = {},
  ): Promise<Value> {
    return this.#add(name, input, { audit, canWait })
  }

  /** As `run`, with an input that can grow until the operation is posted: then `input` is called once. */
  runOpen<N extends OperationName>(
    name: N,
    input: () => Posted<OperationInput<N>>,
    onCommitted: (result: OperationResult<N>) => void,
  ): OpenOperation<N> {
    const done = this.#addOpen(name, input, { onCommitted })
    const added = this.#waiting.at(-1)
    return { done, isLast: () => added !== undefined && this.#waiting.at(-1) === added }
  }

  /** Every operation fails because of this error, unless there was one before. */
  fail(error: Error): void {
    this.#watch.see(error)
    this.#failure ??= error
    this.#cancelTimer?.()
    const lost = [...this.#committing, ...this.#waiting]
    this.#committing = []
    this.#waiting = []
    for (const { reject } of lost) reject(unavailable(this.#failure))
    this.#onIdle()
  }

  /** Finishes the operations that are waiting or committing. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#waiting.length > 0) this.#scheduleFlush()
    if (!this.#isIdle()) await new Promise<void>((resolve) => (this.#onIdle = resolve))
    this.#failure ??= new Error('The writer is closed.')
    this.#port.close()
  }

  #isIdle(): boolean {
    return this.#waiting.length === 0 && this.#committing.length === 0
  }

  #add<Value>(name: string, input: unknown, options: AddOptions<Value>): Promise<Value> {
    return this.#addOpen(name, () => ({ input, transfer: NOTHING_GIVEN }), options)
  }

  #addOpen<Value>(
    name: string,
    input: () => Posted<unknown>,
    { audit, onCommitted, canWait = false }: AddOptions<Value>,
  ): Promise<Value> {
    if (this.#failure) return Promise.reject(unavailable(this.#failure))
    const { promise, resolve, reject } = Promise.withResolvers<Value>()
    const sealed = audit && sealedEntry(audit, this.#box)
    this.#waiting.push({ name, input, audit: sealed, onCommitted, resolve, reject })
    if (canWait) this.#cancelTimer ??= systemClock.after(LATER_MS, () => this.#scheduleFlush())
    else this.#scheduleFlush()
    return promise
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
    this.#cancelTimer?.()
    this.#cancelTimer = undefined
    this.#committing = this.#waiting
    this.#waiting = []
    const transfer: Transferable[] = []
    const operations = this.#committing.map(({ name, input, audit }): Operation => {
      const made = input()
      transfer.push(...made.transfer)
      return { name, input: made.input, audit }
    })
    this.#port.postMessage(operations, transfer)
  }

  #onCommit({ results, appended }: Committed): void {
    if (results !== undefined) this.#settle(results)
    for (const each of appended) this.#onAppended(each)
    if (this.#isIdle()) this.#onIdle()
  }

  #settle(results: readonly Result[]): void {
    const committed = this.#committing
    this.#committing = []
    if (this.#isUrgent) this.#scheduleFlush()
    // What awaits a promise runs after this loop.
    for (const [index, { onCommitted, resolve, reject }] of committed.entries()) {
      const result = results[index]!
      if (result.ok) {
        onCommitted?.(result.value as never)
        resolve(result.value as never)
      } else reject(this.#errorOf(result))
    }
  }

  #errorOf(failure: Failure): Error {
    const error = errorOf(failure, (cause) => unavailable(cause, { publicReason: failure.message }))
    this.#watch.see(error)
    return error
  }
}

function unavailable(
  cause: Error,
  options: { readonly publicReason?: string } = {},
): BackendUnavailable {
  const message = `The database cannot be written: ${cause.message}`
  return new BackendUnavailable(message, { cause, ...options })
}
