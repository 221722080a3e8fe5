import { describe, expect, test } from 'vitest'
import { RecurringWork } from '../../../src/util/time/recurring.ts'
import { ManualClock } from '@hookline/testing/clocks/manual-clock'
import { RunningWorker } from '@hookline/testing/engine/running-worker'

const turn = () => new Promise((resolve) => setImmediate(resolve))

function start(work: () => Promise<number>) {
  const clock = new ManualClock()
  const recurring = new RecurringWork({ clock, work })
  const worker = { name: 'recurring', run: (signal: AbortSignal) => recurring.run(signal) }
  return { clock, recurring, running: new RunningWorker(worker, clock) }
}

describe('recurring work', () => {
  test('runs immediately, and again after the returned delay', async () => {
    let times = 0
    const { clock, running } = start(async () => (++times < 2 ? 50 : Infinity))
    await using _running = running
    await turn()
    clock.advance(49)
    await turn()
    expect(times).toBe(1)
    clock.advance(1)
    await turn()
    clock.advance(1_000_000)
    await turn()
    expect(times).toBe(2)
  })

  test('runs earlier after a wake-up with an earlier time, but not later after one with a later time', async () => {
    let times = 0
    const { clock, recurring, running } = start(async () => (++times < 4 ? 50 : Infinity))
    await using _running = running
    await turn()
    recurring.wakeBy(clock.now() + 70)
    recurring.wakeBy(clock.now() + 20)
    clock.advance(20)
    await turn()
    expect(times).toBe(2)
    clock.advance(49)
    await turn()
    expect(times).toBe(2)
    recurring.wake()
    await turn()
    expect(times).toBe(3)
  })

  test('yields to the event loop even if it is due immediately and never waits', async () => {
    let times = 0
    const { clock, running } = start(async () => {
      await Promise.resolve()
      clock.advance(1)
      return ++times < 1_000 ? 0 : Infinity
    })
    await using _running = running
    await turn()
    expect(times).toBeLessThan(100)
    await expect.poll(() => times).toBe(1_000)
  })

  test('never runs concurrently: wake-ups during a run cause one more run', async () => {
    const { promise: finished, resolve: finish } = Promise.withResolvers<void>()
    let times = 0
    const { recurring, running } = start(async () => {
      times += 1
      await finished
      return Infinity
    })
    await using _running = running
    recurring.wake()
    recurring.wake()
    recurring.wake()
    expect(times).toBe(1)
    finish()
    await turn()
    expect(times).toBe(2)
  })

  test('stops after the current run when its signal aborts', async () => {
    let ended = 0
    const { clock, recurring, running } = start(async () => {
      await turn()
      ended += 1
      return 10
    })
    await running[Symbol.asyncDispose]()
    expect(ended).toBe(1)
    recurring.wake()
    clock.advance(100)
    await turn()
    expect(ended).toBe(1)
  })
})
