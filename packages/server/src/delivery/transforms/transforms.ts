import { isExactNumber, LIMITS, revive } from '@hookline/protocol'
import { LRUCache } from 'lru-cache'
import type { ChildProcess } from 'node:child_process'
import { textOf } from '../../backend/accepted-event.ts'
import { systemClock } from '../../util/time/clock.ts'
import { startProcess } from '../../util/workers/start-thread.ts'
import type { Evaluated, Evaluation } from './transform-process.ts'

/** JSON text, absent if the expression returned nothing, or an error. */
export type Transformed = { readonly json?: string } | { readonly error: string }

/** Expressions that have exceeded a limit. The least recently used one is dropped first. */
const MAX_SLOW = 1_000

/**
 * Evaluates the transforms of destinations in a process, with limits of time and memory. An expression that has exceeded one is
 * then evaluated in a second process that rests after each evaluation: the others neither wait for it nor lose their processor.
 */
export class Transforms implements AsyncDisposable {
  readonly #fast = new TransformProcess({ maxTogether: 32, rest: 0 })
  readonly #slow = new TransformProcess({ maxTogether: 1, rest: 4 })
  readonly #exceeded = new LRUCache<string, true>({ max: MAX_SLOW })

  /** Applies a JSONata expression to a JSON text; `undefined` after disposal. */
  async apply(expression: string, body: Uint8Array): Promise<Transformed | undefined> {
    const evaluator = this.#exceeded.has(expression) ? this.#slow : this.#fast
    const input = withExactNumbers(textOf(body))
    const evaluated = await evaluator.evaluate({ expression, input })
    if (evaluated?.isOverLimit === true) this.#exceeded.set(expression, true)
    return evaluated
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#fast[Symbol.dispose]()
    this.#slow[Symbol.dispose]()
  }
}

interface Waiting extends Evaluation {
  readonly resolve: (evaluated: Evaluated | undefined) => void
}

const MEMORY_MIB = LIMITS.transformBytes / 2 ** 20
/** For the evaluator itself. */
const OWN_MEMORY_MIB = 16
const OPTIONS = [`--max-old-space-size=${OWN_MEMORY_MIB + MEMORY_MIB}`, '--max-semi-space-size=4']
/** A process that does not respond for this long is replaced: some operations of V8 cannot be interrupted. */
const STUCK_MS = 5_000
const TOO_LARGE = `The transform needed more than ${MEMORY_MIB} MiB.`

/** One process, started for the first evaluation. Expressions take turns, so that many events for one do not delay the others. */
class TransformProcess implements Disposable {
  readonly #maxTogether: number
  readonly #rest: number
  /** By expression, in the order of their turns. */
  readonly #waiting = new Map<string, Waiting[]>()
  /** One of them ended the last process. They are evaluated first, one by one, to find out which. */
  #suspects: Waiting[] = []
  /** Sent to the process. */
  #running: readonly Waiting[] = []
  #process: ChildProcess | undefined
  #isScheduled = false
  #isResting = false
  #isClosed = false

  /** @param options.rest the pause after evaluations, as a multiple of their duration */
  constructor(options: { readonly maxTogether: number; readonly rest: number }) {
    this.#maxTogether = options.maxTogether
    this.#rest = options.rest
  }

  /** `undefined` after disposal. */
  evaluate(evaluation: Evaluation): Promise<Evaluated | undefined> {
    const { promise, resolve } = Promise.withResolvers<Evaluated | undefined>()
    if (this.#isClosed) {
      resolve(undefined)
      return promise
    }
    const waiting = { ...evaluation, resolve }
    const queue = this.#waiting.get(evaluation.expression)
    if (queue) queue.push(waiting)
    else this.#waiting.set(evaluation.expression, [waiting])
    this.#schedule()
    return promise
  }

  [Symbol.dispose](): void {
    this.#isClosed = true
    const waiting = [...this.#waiting.values()].flat()
    for (const { resolve } of [...this.#running, ...this.#suspects, ...waiting]) resolve(undefined)
    this.#running = this.#suspects = []
    this.#waiting.clear()
    this.#process?.kill()
  }

  #schedule(): void {
    const isBusy = this.#isScheduled || this.#isResting || this.#running.length > 0
    if (isBusy || this.#suspects.length + this.#waiting.size === 0) return
    this.#isScheduled = true
    setImmediate(() => this.#runNext())
  }

  #runNext(): void {
    this.#isScheduled = false
    if (this.#isClosed) return
    const suspect = this.#suspects.shift()
    this.#running = suspect ? [suspect] : this.#nextTurns()
    const evaluator = (this.#process ??= this.#start())
    const startedAt = systemClock.now()
    const cancel = systemClock.after(STUCK_MS, () => evaluator.kill('SIGKILL'))
    const onEnd = (evaluated?: readonly Evaluated[]): void => {
      evaluator.off('message', onEnd).off('exit', onExit).channel?.unref()
      cancel()
      this.#ended(evaluated)
      this.#restFor((systemClock.now() - startedAt) * this.#rest)
    }
    const onExit = (): void => {
      this.#process = undefined
      onEnd()
    }
    evaluator.once('message', onEnd).once('exit', onExit).channel?.ref()
    evaluator.send(this.#running.map(({ expression, input }) => ({ expression, input })))
  }

  /** @param evaluated absent if the process ended. Evaluations are pure, so the others are repeated. */
  #ended(evaluated: readonly Evaluated[] | undefined): void {
    const ended = this.#running
    this.#running = []
    if (evaluated === undefined && ended.length > 1) this.#suspects.push(...ended)
    else
      for (const [index, { resolve }] of ended.entries())
        resolve(evaluated?.[index] ?? { error: TOO_LARGE, isOverLimit: true })
  }

  #nextTurns(): readonly Waiting[] {
    const turns: Waiting[] = []
    for (const [expression, queue] of this.#waiting) {
      if (turns.length === this.#maxTogether) break
      this.#waiting.delete(expression)
      turns.push(queue.shift()!)
      // Behind the others. The loop reaches it again.
      if (queue.length > 0) this.#waiting.set(expression, queue)
    }
    return turns
  }

  #restFor(ms: number): void {
    if (ms === 0) return this.#schedule()
    this.#isResting = true
    systemClock.after(ms, () => {
      this.#isResting = false
      this.#schedule()
    })
  }

  #start(): ChildProcess {
    const started = startProcess(new URL('./transform-process', import.meta.url), OPTIONS)
    // It ends with this process.
    started.unref()
    started.channel?.unref()
    started.on('error', () => undefined)
    return started
  }
}

/** A number in JSON with 16 characters or more, or with an exponent. All others are exact. */
const SUSPECT = /[:,[\s]-?(?:[\d.]{16}|[\d.]+[eE])/

/** JSON in which numbers that JavaScript would change are strings. */
function withExactNumbers(json: string): string {
  if (!SUSPECT.test(json)) return json
  const parsed = revive(json, (_name, value, { source }) =>
    typeof value === 'number' && !isExactNumber(source) ? source : value,
  )
  return parsed === undefined ? json : JSON.stringify(parsed)
}
