import type { Clock } from '../util/time/clock.ts'
import { MAX_SLICE_MS } from '../util/time/time-slices.ts'

/** Work on a body, in steps of a few milliseconds if possible. */
export type Steps<T> = Generator<undefined, T, undefined>

/** A body, and the source whose share of the time it uses. */
interface Body {
  readonly source: string
  readonly bytes: number
}

interface Task {
  readonly steps: Steps<unknown>
  /** The tasks of a source run in ascending order of priority. */
  readonly priority: number
  readonly resolve: (value: never) => void
  readonly reject: (error: unknown) => void
}

/** The waiting tasks of a source, and the time that its tasks have used. */
interface Share {
  readonly tasks: Task[]
  usedMs: number
}

/** A body counts as arriving a millisecond later for each KiB: small ones come first, and large ones still get a turn. */
const BYTES_PER_MS = 1024

/**
 * The duration of a turn while many deliveries are unrecorded: otherwise, many connections would take all the time, and deliveries
 * would be parked.
 */
const SHORT_SLICE_MS = 1

/** Checks bodies in turns of MAX_SLICE_MS or SHORT_SLICE_MS. The source that has used the least time is next, so none waits long. */
export class SourceTurns {
  readonly #clock: Pick<Clock, 'now' | 'turn'>
  readonly #isCongested: () => boolean
  readonly #shares = new Map<string, Share>()
  /** The used time of the last source. New sources start with it: idle time earns no credit. */
  #usedMs = 0
  #leftMs = MAX_SLICE_MS
  #isScheduled = false

  constructor(clock: Pick<Clock, 'now' | 'turn'>, isCongested = (): boolean => false) {
    this.#clock = clock
    this.#isCongested = isCongested
  }

  /** Whether a body can run immediately. */
  get isOpen(): boolean {
    return this.#shares.size === 0 && this.#leftMs > 0
  }

  /** Runs the steps: now, or in one of the next turns. */
  run<T>({ source, bytes }: Body, steps: Steps<T>): Promise<T> {
    const isOpen = this.isOpen
    const { promise, resolve, reject } = Promise.withResolvers<T>()
    let share = this.#shares.get(source)
    if (share === undefined) this.#shares.set(source, (share = { tasks: [], usedMs: this.#usedMs }))
    const priority = this.#clock.now() + bytes / BYTES_PER_MS
    share.tasks.push({ steps, priority, resolve, reject })
    this.#schedule()
    if (isOpen) this.#takeTurns()
    return promise
  }

  #schedule(): void {
    if (this.#isScheduled) return
    this.#isScheduled = true
    void this.#clock.turn().then(() => this.#beginTurn())
  }

  #beginTurn(): void {
    this.#isScheduled = false
    this.#leftMs = this.#isCongested() ? SHORT_SLICE_MS : MAX_SLICE_MS
    this.#takeTurns()
    if (this.#shares.size > 0) this.#schedule()
  }

  #takeTurns(): void {
    while (this.#leftMs > 0 && this.#shares.size > 0) {
      const [source, share] = this.#next()
      const startedAt = this.#clock.now()
      this.#usedMs = share.usedMs
      this.#work(share, startedAt + this.#leftMs)
      const tookMs = this.#clock.now() - startedAt
      share.usedMs += tookMs
      this.#leftMs -= tookMs
      if (share.tasks.length === 0) this.#shares.delete(source)
    }
  }

  /** Runs steps of the first task until it is done or time is up. */
  #work({ tasks }: Share, until: number): void {
    const task = tasks.reduce((first, each) => (each.priority < first.priority ? each : first))
    try {
      let step = task.steps.next()
      while (step.done !== true && this.#clock.now() < until) step = task.steps.next()
      if (step.done !== true) return
      task.resolve(step.value as never)
    } catch (error) {
      task.reject(error)
    }
    tasks.splice(tasks.indexOf(task), 1)
  }

  #next(): [source: string, share: Share] {
    return [...this.#shares].reduce((least, each) =>
      each[1].usedMs < least[1].usedMs ? each : least,
    )
  }
}
