import { describe, expect, test } from 'vitest'
import type { TestEngine as Engine } from '@hookline/testing/engine/test-engine'
import { ManualClock } from '@hookline/testing/clocks/manual-clock'
import { openReceiver } from '@hookline/testing/receiver/receiver'
import { TemporaryFolder } from '@hookline/testing/files/temporary-folder'
import { TestEngine } from '@hookline/testing/engine/test-engine'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const SCHEDULE = { retryDelaysMs: [MINUTE], retryWindowMs: 4 * HOUR }
const RARELY = { retryDelaysMs: [20 * MINUTE], retryWindowMs: HOUR }
const STEP = 5 * MINUTE

async function states(engine: Engine): Promise<readonly string[]> {
  return [...new Set((await engine.deliveries({})).map(({ state }) => state))]
}

async function fewestAttempts(engine: Engine): Promise<number> {
  return Math.min(...(await engine.deliveries({})).map((each) => each.attemptCount))
}

/** Advances the clock step by step until the condition holds, up to `maxMs`. Returns how long it took. */
async function advanceUntil(
  { clock, engine }: { clock: ManualClock; engine: Engine },
  maxMs: number,
  isMet: () => boolean | Promise<boolean>,
): Promise<number> {
  const start = clock.now()
  while (!(await isMet())) {
    if (clock.now() - start >= maxMs) throw new Error(`not met after ${maxMs} ms`)
    clock.advance(STEP)
    await engine.settled()
  }
  return clock.now() - start
}

describe('when the system clock of a running service is set', () => {
  test('back by two days, the backlog behind an open breaker is delivered within 30 minutes', async () => {
    const clock = new ManualClock()
    await using receiver = await openReceiver({ respond: 500 })
    await using engine = await TestEngine.open({ ...SCHEDULE, clock })
    await engine.destination('dst_a', receiver.url)
    await engine.receive(40)
    await expect.poll(() => engine.openBreakers).toBe(1)
    await expect.poll(() => engine.lanes.current.inMemory).toBe(0)
    receiver.respond = () => 200
    clock.jump(-2 * DAY)
    await engine.receive(5)
    // A breaker is open for at most 5 minutes, and a recovered receiver gets increasingly many attempts.
    await advanceUntil({ clock, engine }, 30 * MINUTE, async () => {
      const all = await engine.deliveries({})
      return all.length === 45 && all.every(({ state }) => state === 'delivered')
    })
  })

  test('ahead by two days, nothing expires, and the backlog is delivered when the receiver recovers', async () => {
    const clock = new ManualClock()
    await using receiver = await openReceiver({ respond: 500 })
    await using engine = await TestEngine.open({ ...SCHEDULE, clock })
    await engine.destination('dst_a', receiver.url)
    await engine.receive(30)
    await expect.poll(() => engine.openBreakers).toBe(1)
    clock.jump(2 * DAY)
    const until = clock.now() + 30 * MINUTE
    await advanceUntil({ clock, engine }, HOUR, () => clock.now() >= until)
    expect(await states(engine)).toEqual(['pending'])
    receiver.respond = () => 200
    await advanceUntil({ clock, engine }, HOUR, async () =>
      (await states(engine)).every((state) => state === 'delivered'),
    )
  })
})

describe('after a restart with the clock', () => {
  /** Deliveries that were attempted once by an earlier process. */
  async function failedOnce(folder: TemporaryFolder, url: string, clock: ManualClock) {
    await using engine = await TestEngine.open({ ...RARELY, clock }, folder)
    await engine.destination('dst_a', url)
    await engine.receive(5)
    await expect.poll(() => engine.deliveries({})).toHaveLength(5)
    await expect.poll(() => fewestAttempts(engine)).toBe(1)
  }

  test.for([
    ['ahead', 2 * DAY],
    ['back', -2 * DAY],
  ] as const)(
    'two days %s, a delivery is attempted immediately, and retried for the rest of its window',
    async ([, ms]) => {
      using folder = new TemporaryFolder()
      await using receiver = await openReceiver({ respond: 503 })
      const before = new ManualClock()
      await failedOnce(folder, receiver.url, before)
      const clock = new ManualClock(before.now() + ms)
      await using engine = await TestEngine.open({ ...RARELY, clock }, folder)
      await expect.poll(() => fewestAttempts(engine)).toBe(2)
      expect(await states(engine)).toEqual(['pending'])
      const tookMs = await advanceUntil({ clock, engine }, 2 * HOUR, async () =>
        (await states(engine)).every((state) => state === 'expired'),
      )
      expect(tookMs).toBeGreaterThan(35 * MINUTE)
    },
  )
})
