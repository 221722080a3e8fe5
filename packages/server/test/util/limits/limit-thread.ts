import { workerData } from 'node:worker_threads'
import { ByteBudget } from '../../../src/util/limits/byte-budget.ts'
import { RateLimit } from '../../../src/util/limits/rate-limit.ts'
import { SharedBuckets } from '../../../src/util/limits/shared-buckets.ts'
import type { Clock } from '../../../src/util/time/clock.ts'

/** The shared limits under load. */
export interface LimitThreadData {
  readonly thread: number
  readonly buckets: SharedArrayBuffer
  readonly budget: SharedArrayBuffer
  readonly maxBytes: number
  readonly limits: readonly { readonly id: string; readonly rateLimit: number }[]
  /** The fields at the indexes in WORDS, then the number of passed requests for each limit. */
  readonly words: SharedArrayBuffer
}

export const WORDS = { now: 0, stop: 1, rounds: 2, held: 3, maxHeld: 4, passed: 5 } as const

if (workerData !== null) hammer(workerData as LimitThreadData)

/** Takes from the limits and the budget as fast as possible until stopped. */
function hammer({ thread, limits, maxBytes, ...shared }: LimitThreadData): void {
  const words = new Int32Array(shared.words)
  const clock = { now: () => Atomics.load(words, WORDS.now) } as Clock
  const limit = new RateLimit(clock, { shared: new SharedBuckets(shared.buckets) })
  const budget = new ByteBudget(maxBytes, { memory: shared.budget, thread })
  while (Atomics.load(words, WORDS.stop) === 0) {
    limits.forEach((each, index) => {
      if (limit.take(each, 1) === 0) Atomics.add(words, WORDS.passed + index, 1)
    })
    takeAndGiveBack(budget, words)
    Atomics.add(words, WORDS.rounds, 1)
  }
}

function takeAndGiveBack(budget: ByteBudget, words: Int32Array): void {
  const bytes = 1 + Math.floor(Math.random() * 60)
  if (!budget.take(bytes)) return
  const held = Atomics.add(words, WORDS.held, bytes) + bytes
  if (held > Atomics.load(words, WORDS.maxHeld)) Atomics.store(words, WORDS.maxHeld, held)
  Atomics.sub(words, WORDS.held, bytes)
  budget.release(bytes)
}
