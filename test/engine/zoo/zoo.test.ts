import { describe, expect, test } from 'vitest'
import { openReceiver } from '../../../packages/server/test/harness/receiver.ts'
import { seededRandom } from '../../../packages/server/test/harness/seeded-random.ts'
import { SEED } from '../seed.ts'
import { retainedBytes } from './retained-bytes.ts'
import { SPECIES } from './species.ts'
import { type Specimen, TIMEOUT_MS } from './specimen.ts'
import { AT_ONCE, Visitor } from './visitor.ts'

/** A body may take a second beyond the deadline; the rest is for a machine that does other things as well. */
const MOST_MS = TIMEOUT_MS + 1000 + 1500
/** An answer with a TTL of 0 counts for 5 s. */
const LONGER_THAN_ANY_TTL_MS = 6000
/** Of each species. */
const REPETITIONS = 1000
/** Before what is left is counted: everything that is made once has been made. */
const WARMING_UP = 100
const MOST_GROWTH_BYTES = 4 * 2 ** 20

describe('an attempt ends in time, as what it is, at', () => {
  test.each(SPECIES)('$name', async (species) => {
    await using visitor = await Visitor.open()
    const specimen = await visitor.meet(species)
    for (let times = 0; times < 3; times++) {
      const { result, tookMs } = await visitor.visit(specimen)
      expect(result).toMatchObject(specimen.expected)
      expect(tookMs).toBeLessThan(MOST_MS)
    }
    specimen.forget()
    expect(specimen.complaints).toEqual([])
  })
})

test('a name that turns to a private address is good for as long as its answer is, and no connection follows', async () => {
  await using visitor = await Visitor.open()
  const headers = { Connection: 'close' }
  await using receiver = await openReceiver({ respond: { status: 200, headers } })
  let before = 0
  for (let times = 0; times < REPETITIONS; times++) {
    if (times === WARMING_UP) before = retainedBytes()
    const url = `http://rebinding-${times}.example:${receiver.port}/hook`
    const outcomeOf = async (): Promise<string> => (await visitor.visit({ url })).result.class
    expect(await outcomeOf()).toBe('delivered')
    expect(await outcomeOf()).toBe('delivered')
    visitor.clock.skip(LONGER_THAN_ANY_TTL_MS)
    expect(await outcomeOf()).toBe('address_forbidden')
  }
  expect(receiver.requests).toHaveLength(2 * REPETITIONS)
  receiver.requests.length = 0
  const grown = retainedBytes() - before
  console.log(`${REPETITIONS} names: ${(grown / 1024).toFixed(0)} KiB more on the heap`)
  expect(grown).toBeLessThan(MOST_GROWTH_BYTES)
})

test(`${REPETITIONS} visits to each of them, all at once, leave no memory and no socket behind`, async () => {
  await using visitor = await Visitor.open()
  const specimens = await Promise.all(SPECIES.map((species) => visitor.meet(species)))
  const random = seededRandom(SEED)
  const visitAll = async (each: number): Promise<number> => {
    const visits = each * specimens.length
    const plan = shuffled(specimens, random)
    let slowest = 0
    let begun = 0
    const one = async (): Promise<void> => {
      while (begun < visits) {
        const specimen = plan[begun++ % plan.length]!
        const { result, tookMs } = await visitor.visit(specimen)
        expect(result).toMatchObject(specimen.expected)
        slowest = Math.max(slowest, tookMs)
      }
    }
    await Promise.all(Array.from({ length: AT_ONCE }, one))
    await allClosed(specimens)
    return slowest
  }
  await visitAll(WARMING_UP)
  const before = { bytes: retainedBytes(), handles: handles() }
  const slowestMs = await visitAll(REPETITIONS)
  const grown = retainedBytes() - before.bytes
  console.log(
    `seed ${SEED}: ${REPETITIONS} visits to each of ${specimens.length}, the slowest took ${slowestMs.toFixed(0)} ms; ` +
      `${(grown / 1024).toFixed(0)} KiB more on the heap, ${handles() - before.handles} handles more`,
  )
  expect(slowestMs).toBeLessThan(MOST_MS)
  expect(grown).toBeLessThan(MOST_GROWTH_BYTES)
  expect(handles()).toBeLessThanOrEqual(before.handles)
})

function shuffled<T>(items: readonly T[], random: () => number): T[] {
  const keyed = items.map((item) => [random(), item] as const)
  return keyed.toSorted(([a], [b]) => a - b).map(([, item]) => item)
}

/** Sockets that are kept for the next attempt are given up after some seconds. */
async function allClosed(specimens: readonly Specimen[]): Promise<void> {
  for (const specimen of specimens) {
    await expect.poll(() => specimen.openConnections, { timeout: 15_000, interval: 50 }).toBe(0)
    specimen.forget()
    expect(specimen.complaints).toEqual([])
  }
}

/** What keeps the process alive: sockets, servers, look-ups, timers. */
function handles(): number {
  return process.getActiveResourcesInfo().filter((kind) => kind !== 'Timeout').length
}
