import { LIMITS } from '@hookline/protocol'
import { LRUCache } from 'lru-cache'
import type { ChildProcess } from 'node:child_process'
import { textOf } from '../../backend/accepted-event.ts'
import { systemClock } from '../../util/time/clock.ts'
import { startProcess } from '../../util/workers/start-thread.ts'
import { withExactNumbers } from './exact-numbers.ts'
import type { TransformResult, Evaluation } from './transform-process.ts'

/** JSON text (absent if the expression returned nothing), or an error. */
export type TransformOutcome = { readonly json?: string } | { readonly error: string }

/** How long an expression that has exceeded a limit is kept in the second process. */
const ISOLATED_MS = 60_000
const MAX_ISOLATED = 1_000

/**
 * Evaluates the transforms of destinations in a separate process, with limits on CPU time and memory. An expression
 * that has exceeded a limit moves to a second process, which pauses after each evaluation, so it neither delays other
 * expressions nor takes their CPU time.
 */
export class Transforms implements AsyncDisposable {
  readonly #fast: TransformProcess
  readonly #slow: TransformProcess
  readonly #isolated = new LRUCache<string, true>({ max: MAX_ISOLATED, ttl: ISOLATED_MS })

  constructor() {
    this.#slow = new TransformProcess({
      maxBatch: 1,
      pauseFactor: 4,
      batchWaitMs: 0,
      onExceeded: (expression) => this.#isolated.set(expression, true),
      onSuspects: (suspects) => this.#slow.addFirst(suspects),
    })
    this.#fast = new TransformProcess({
      maxBatch: 64,
      pauseFactor: 0,
      batchWaitMs: 2,
      onExceeded: (expression) => this.#isolate(expression),
      onSuspects: (suspects) => {
        const expressions = new Set(suspects.map(({ expression }) => expression))
        if (expressions.size === 1) this.#isolate(suspects[0]!.expression)
        this.#slow.addFirst(suspects)
      },
    })
  }

  /** Applies a JSONata expression to a JSON text; `undefined` after disposal, or if nothing needs the result. */
  apply(
    expression: string,
    body: Uint8Array,
    { url, isWanted = () => true }: ApplyOptions = {},
  ): Promise<TransformOutcome | undefined> {
    const { promise, resolve } = Promise.withResolvers<TransformOutcome | undefined>()
    const input = withExactNumbers(textOf(body))
    const evaluator = this.#isolated.has(expression) ? this.#slow : this.#fast
    evaluator.add({ expression, input, url, isWanted, resolve, exits: 0 })
    return promise
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#fast[Symbol.dispose]()
    this.#slow[Symbol.dispose]()
  }

  #isolate(expression: string): void {
    this.#isolated.set(expression, true)
    for (const each of this.#fast.remove(expression)) this.#slow.add(each)
  }
}

export interface ApplyOptions {
  /** The value of `$url`. */
  readonly url?: string | undefined
  /** Called before the evaluation. */
  readonly isWanted?: (() => boolean) | undefined
}

interface QueuedEvaluation extends Evaluation {
  readonly isWanted: () => boolean
  readonly resolve: (evaluated: TransformOutcome | undefined) => void
  /** The number of processes that exited while evaluating it, for any reason. */
  exits: number
}

interface ProcessOptions {
  readonly maxBatch: number
  /** The pause after evaluations, as a multiple of their duration. */
  readonly pauseFactor: number
  /** The minimum pause while fewer than `MIN_BATCH` evaluations are queued. */
  readonly batchWaitMs: number
  readonly onExceeded: (expression: string) => void
  /** One of these evaluations needed too much memory. */
  readonly onSuspects: (suspects: readonly QueuedEvaluation[]) => void
}

const MEMORY_MIB = LIMITS.transformBytes / 2 ** 20
/** Memory used by the evaluator itself. */
const OWN_MEMORY_MIB = 16
const OPTIONS = [`--max-old-space-size=${OWN_MEMORY_MIB + MEMORY_MIB}`, '--max-semi-space-size=4']
/** A process that does not respond for this long is replaced: some operations in V8 cannot be interrupted. */
const STUCK_MS = 5_000
/** The number of evaluations worth a message to the process, which costs as much as several evaluations. */
const MIN_BATCH = 16
const MAX_EXITS = 3
/** How long to wait before restarting a process that failed to start, or that exited before its first evaluation. */
const RESTART_MS = 1_000

/** A process that has started, or is starting. */
interface Evaluator {
  readonly child: ChildProcess
  isReady: boolean
}

/** One process, started for the first evaluation. Expressions take turns, so that many events for one do not delay the others. */
class TransformProcess implements Disposable {
  readonly #options: ProcessOptions
  /** By expression, in the order of their turns. */
  readonly #waiting = new Map<string, QueuedEvaluation[]>()
  /** Evaluated before the others, one by one. */
  #first: QueuedEvaluation[] = []
  /** Sent to the process. */
  #running: readonly QueuedEvaluation[] = []
  #startedAt = 0
  #cancelStuck = (): void => undefined
  #evaluator: Evaluator | undefined
  #isScheduled = false
  #isResting = false
  #isClosed = false

  constructor(options: ProcessOptions) {
    this.#options = options
  }

  add(waiting: QueuedEvaluation): void {
    if (this.#isClosed) return waiting.resolve(undefined)
    const queue = this.#waiting.get(waiting.expression)
    if (queue) queue.push(waiting)
    else this.#waiting.set(waiting.expression, [waiting])
    this.#schedule()
  }

  addFirst(waiting: readonly QueuedEvaluation[]): void {
    if (this.#isClosed) for (const { resolve } of waiting) resolve(undefined)
    else this.#first.push(...waiting)
    this.#schedule()
  }

  /** Removes the evaluations of an expression that have not begun. */
  remove(expression: string): readonly QueuedEvaluation[] {
    const queue = this.#waiting.get(expression) ?? []
    this.#waiting.delete(expression)
    return queue
  }

  [Symbol.dispose](): void {
    this.#isClosed = true
    this.#cancelStuck()
    const waiting = [...this.#waiting.values()].flat()
    for (const { resolve } of [...this.#running, ...this.#first, ...waiting]) resolve(undefined)
    this.#running = this.#first = []
    this.#waiting.clear()
    this.#evaluator?.child.kill('SIGKILL')
  }

  #schedule(): void {
    const isBusy = this.#isScheduled || this.#isResting || this.#running.length > 0
    if (isBusy || this.#isClosed || this.#first.length + this.#waiting.size === 0) return
    this.#evaluator ??= this.#start()
    if (!this.#evaluator.isReady) return
    this.#isScheduled = true
    setImmediate(() => this.#runNext())
  }

  #runNext(): void {
    this.#isScheduled = false
    const evaluator = this.#evaluator
    if (this.#isClosed || evaluator?.isReady !== true) return this.#schedule()
    const first = this.#first.shift()
    this.#running = first ? [first] : this.#nextTurns()
    if (this.#running.length === 0) return
    this.#startedAt = systemClock.now()
    this.#cancelStuck = systemClock.after(STUCK_MS, () => evaluator.child.kill('SIGKILL'))
    const evaluations = this.#running.map(({ expression, input, url }) => ({
      expression,
      input,
      url,
    }))
    // If this fails, the process has exited, which `exit` reports.
    evaluator.child.send(evaluations, () => undefined)
  }

  #nextTurns(): readonly QueuedEvaluation[] {
    const turns: QueuedEvaluation[] = []
    for (const [expression, queue] of this.#waiting) {
      if (turns.length === this.#options.maxBatch) break
      this.#waiting.delete(expression)
      const next = nextWanted(queue)
      if (next !== undefined) turns.push(next)
      // Behind the other expressions. The loop reaches it again.
      if (queue.length > 0) this.#waiting.set(expression, queue)
    }
    return turns
  }

  #start(): Evaluator {
    const child = startProcess(new URL('./transform-process', import.meta.url), OPTIONS)
    const evaluator = { child, isReady: false }
    child.on('message', (message: 'ready' | readonly TransformResult[]) => {
      // Messages can arrive after the exit, and after disposal.
      if (this.#isClosed || this.#evaluator !== evaluator) return
      if (message !== 'ready') return this.#onEvaluated(message)
      evaluator.isReady = true
      // Does not keep this process alive. The child exits on `disconnect`.
      child.unref()
      child.channel?.unref()
      this.#schedule()
    })
    child.once('exit', (_code, signal) => this.#onGone(evaluator, signal))
    // If the process cannot be started, `exit` is not emitted.
    child.on('error', () => child.pid === undefined && this.#onGone(evaluator, null))
    return evaluator
  }

  #onEvaluated(evaluated: readonly TransformResult[]): void {
    this.#cancelStuck()
    const ended = this.#running
    this.#running = []
    // The rest were not started in time.
    for (const waiting of ended.slice(evaluated.length).toReversed()) this.#putBack(waiting)
    for (const [index, { isOverLimit = false, ...result }] of evaluated.entries()) {
      const { expression, resolve } = ended[index]!
      if (isOverLimit) this.#options.onExceeded(expression)
      resolve(result)
    }
    const { pauseFactor, batchWaitMs } = this.#options
    const pauseMs = (systemClock.now() - this.#startedAt) * pauseFactor
    this.#restFor(this.#hasBatch() ? pauseMs : Math.max(pauseMs, batchWaitMs))
  }

  #hasBatch(): boolean {
    let count = 0
    for (const { length } of this.#waiting.values()) if ((count += length) >= MIN_BATCH) return true
    return false
  }

  /**
   * Handles a process that has exited or failed to start. SIGABRT means that V8 ran out of memory;
   * other exits may have nothing to do with the evaluations.
   */
  #onGone(evaluator: Evaluator, signal: NodeJS.Signals | null): void {
    if (this.#evaluator !== evaluator) return
    this.#evaluator = undefined
    this.#cancelStuck()
    const interrupted = this.#running
    this.#running = []
    if (signal === 'SIGABRT' && interrupted.length > 1) this.#options.onSuspects(interrupted)
    else
      for (const waiting of interrupted.toReversed())
        if (signal === 'SIGABRT') this.#refuse(waiting, TOO_LARGE)
        else if (++waiting.exits === MAX_EXITS) this.#refuse(waiting, ENDED)
        else this.#putBack(waiting)
    this.#restFor(evaluator.isReady ? 0 : RESTART_MS)
  }

  #refuse({ expression, resolve }: QueuedEvaluation, error: string): void {
    this.#options.onExceeded(expression)
    resolve({ error })
  }

  #putBack(waiting: QueuedEvaluation): void {
    const queue = this.#waiting.get(waiting.expression)
    if (queue) queue.unshift(waiting)
    else this.#waiting.set(waiting.expression, [waiting])
  }

  #restFor(ms: number): void {
    if (ms === 0) return this.#schedule()
    this.#isResting = true
    systemClock.after(ms, () => {
      this.#isResting = false
      this.#schedule()
    })
  }
}

/** Removes the next evaluation, and those before it whose results are no longer wanted. */
function nextWanted(queue: QueuedEvaluation[]): QueuedEvaluation | undefined {
  for (;;) {
    const next = queue.shift()
    if (next === undefined || next.isWanted()) return next
    next.resolve(undefined)
  }
}

const TOO_LARGE = `The transform needed more than ${MEMORY_MIB} MiB.`
const ENDED = `The transform crashed its process ${MAX_EXITS} times, or ran for more than ${STUCK_MS / 1000} s.`
