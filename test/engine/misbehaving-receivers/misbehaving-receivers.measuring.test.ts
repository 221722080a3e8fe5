import { describe, expect, test } from 'vitest'
import { openReceiver } from '@hookline/testing/receiver/receiver'
import { seededRandom } from '@hookline/testing/run/seeded-random'
import { halfIfShort } from '@hookline/testing/run/case-count'
import { SEED } from '@hookline/testing/run/seed'
import { type MisbehavingReceiver, TIMEOUT_MS } from './misbehaving-receiver.ts'
import { MISBEHAVIOURS } from './misbehaviours.ts'
import { CONCURRENCY, SenderUnderTest } from './sender-under-test.ts'

/** A body may take one second beyond the deadline. The rest is a margin for a busy machine. */
const MAX_MS = TIMEOUT_MS + 1000 + 1500
/** Addresses with a TTL of 0 are cached for 5 s. */
const LONGER_THAN_ANY_TTL_MS = 6000
/** The number of attempts to each receiver. */
const REPETITIONS = halfIfShort(1000)
/** The number of attempts before memory is measured, so that everything created once exists. */
const WARM_UP_ATTEMPTS = 100
const MAX_GROWTH_BYTES = 4 * 2 ** 20

describe('misbehaving receivers', () => {
  test.each(MISBEHAVIOURS)(
    '$name: the attempt ends in time, with the right class',
    async (misbehaviour) => {
      await using sender = await SenderUnderTest.open()
      const receiver = await sender.openReceiver(misbehaviour)
      for (let times = 0; times < 3; times++) {
        const { result, tookMs } = await sender.attempt(receiver)
        expect(result).toMatchObject(receiver.expected)
        expect(tookMs).toBeLessThan(MAX_MS)
      }
      receiver.checkRequests()
      expect(receiver.violations).toEqual([])
    },
  )
})

test('a name that changes to a private address is used until its TTL expires, and then refused', async () => {
  await using sender = await SenderUnderTest.open()
  const headers = { Connection: 'close' }
  await using receiver = await openReceiver({ respond: { status: 200, headers } })
  let before = 0
  for (let times = 0; times < REPETITIONS; times++) {
    if (times === WARM_UP_ATTEMPTS) before = retainedBytes()
    const url = `http://rebinding-${times}.example:${receiver.port}/hook`
    const classOf = async (): Promise<string> => (await sender.attempt({ url })).result.class
    expect(await classOf()).toBe('delivered')
    expect(await classOf()).toBe('delivered')
    sender.clock.pass(LONGER_THAN_ANY_TTL_MS)
    expect(await classOf()).toBe('address_forbidden')
  }
  expect(receiver.requests).toHaveLength(2 * REPETITIONS)
  receiver.requests.length = 0
  const grown = retainedBytes() - before
  console.log(`${REPETITIONS} names: ${(grown / 1024).toFixed(0)} KiB more on the heap`)
  expect(grown).toBeLessThan(MAX_GROWTH_BYTES)
})

test(`${REPETITIONS} parallel attempts to each misbehaving receiver leak no memory or sockets`, async () => {
  await using sender = await SenderUnderTest.open()
  const receivers = await Promise.all(MISBEHAVIOURS.map((each) => sender.openReceiver(each)))
  const random = seededRandom(SEED)
  const tryAll = async (each: number): Promise<number> => {
    const attempts = each * receivers.length
    const plan = shuffled(receivers, random)
    let slowestMs = 0
    let begun = 0
    const tryInTurn = async (): Promise<void> => {
      while (begun < attempts) {
        const receiver = plan[begun++ % plan.length]!
        const { result, tookMs } = await sender.attempt(receiver)
        expect(result).toMatchObject(receiver.expected)
        slowestMs = Math.max(slowestMs, tookMs)
      }
    }
    await Promise.all(Array.from({ length: CONCURRENCY }, tryInTurn))
    await allClosed(receivers)
    return slowestMs
  }
  await tryAll(WARM_UP_ATTEMPTS)
  const before = { bytes: retainedBytes(), handles: handles() }
  const slowestMs = await tryAll(REPETITIONS)
  const grown = retainedBytes() - before.bytes
  console.log(
    `seed ${SEED}: ${REPETITIONS} attempts to each of ${receivers.length}, the slowest took ${slowestMs.toFixed(0)} ms; ` +
      `${(grown / 1024).toFixed(0)} KiB more on the heap, ${handles() - before.handles} handles more`,
  )
  expect(slowestMs).toBeLessThan(MAX_MS)
  expect(grown).toBeLessThan(MAX_GROWTH_BYTES)
  expect(handles()).toBeLessThanOrEqual(before.handles)
})

function shuffled<T>(items: readonly T[], random: () => number): T[] {
  const keyed = items.map((item) => [random(), item] as const)
  return keyed.toSorted(([a], [b]) => a - b).map(([, item]) => item)
}

/** Resolves when idle sockets are closed, which takes a few seconds. */
async function allClosed(receivers: readonly MisbehavingReceiver[]): Promise<void> {
  for (const receiver of receivers) {
    await expect.poll(() => receiver.openConnections, { interval: 50 }).toBe(0)
    receiver.checkRequests()
    expect(receiver.violations).toEqual([])
  }
}

/** The number of resources that keep the process alive, except timers: sockets, servers, lookups. */
function handles(): number {
  return process.getActiveResourcesInfo().filter((kind) => kind !== 'Timeout').length
}

/** The bytes of the heap, and of buffers outside it, after a garbage collection. Needs `--expose-gc`. */
function retainedBytes(): number {
  if (globalThis.gc === undefined) throw new Error('Run Node with --expose-gc.')
  // The second collection frees what finalizers released in the first.
  globalThis.gc()
  globalThis.gc()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}
