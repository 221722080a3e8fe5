import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { ByteBudget, allocateBudget } from '../../../src/util/limits/byte-budget.ts'
import { SharedBuckets } from '../../../src/util/limits/shared-buckets.ts'
import { nextTurn } from '../../../src/util/time/clock.ts'
import { type LimitThreadData, WORDS } from './limit-thread.ts'

const THREADS = 4
const MAX_BYTES = 100
const LIMITS = [
  { id: 'src_a', rateLimit: 1_000 },
  { id: 'src_b', rateLimit: 7 },
]

let words: Int32Array
let buckets: SharedBuckets
let budget: SharedArrayBuffer
let workers: Worker[]

beforeEach(() => {
  words = new Int32Array(new SharedArrayBuffer(64))
  buckets = SharedBuckets.create({ threads: THREADS, now: 0 })
  buckets.keep(LIMITS)
  budget = allocateBudget(THREADS)
  workers = []
})
afterEach(async () => {
  Atomics.store(words, WORDS.stop, 1)
  await Promise.all(workers.map((worker) => worker.terminate()))
})

function start(thread: number): void {
  const workerData: LimitThreadData = {
    thread,
    buckets: buckets.memory,
    budget,
    maxBytes: MAX_BYTES,
    limits: LIMITS,
    words: words.buffer as SharedArrayBuffer,
  }
  const entry = new URL('limit-thread.ts', import.meta.url)
  workers.push(new Worker(entry, { workerData, execArgv: ['--conditions=hookline-source'] }))
}

/** Resolves after the threads have done this many rounds. */
async function rounds(count: number): Promise<void> {
  const until = Atomics.load(words, WORDS.rounds) + count
  while (Atomics.load(words, WORDS.rounds) < until) await nextTurn()
}

const passed = (index: number): number => Atomics.load(words, WORDS.passed + index)

test('several threads together pass exactly as many calls as one', async () => {
  for (let thread = 0; thread < THREADS; thread++) start(thread)
  await rounds(10_000)
  expect([passed(0), passed(1)]).toEqual([1_000, 7])
  for (let ms = 1; ms <= 2_000; ms++) {
    Atomics.store(words, WORDS.now, ms)
    await rounds(10)
  }
  await rounds(10_000)
  expect([passed(0), passed(1)]).toEqual([3_000, 21])
  expect(Atomics.load(words, WORDS.maxHeld)).toBeGreaterThan(0)
  expect(Atomics.load(words, WORDS.maxHeld)).toBeLessThanOrEqual(MAX_BYTES)
})

test('threads killed at any point leave nothing locked, and their bytes are returned', async () => {
  const main = new ByteBudget(MAX_BYTES, { memory: budget, thread: 0 })
  start(1)
  for (let kill = 1; kill <= 20; kill++) {
    start(2)
    await rounds(1_000)
    const [victim] = workers.splice(1, 1)
    await victim!.terminate()
    main.releaseAll(2)
    Atomics.store(words, WORDS.now, kill * 100)
    await rounds(1_000)
  }
  Atomics.store(words, WORDS.stop, 1)
  await once(workers[0]!, 'exit')
  // A killed thread may have taken a token without counting it.
  expect(passed(0)).toBeLessThanOrEqual(3_000)
  expect(passed(0)).toBeGreaterThanOrEqual(2_980)
  expect(passed(1)).toBeLessThanOrEqual(21)
  expect(main.takenBytes).toBe(0)
  expect(main.take(MAX_BYTES)).toBe(true)
})
