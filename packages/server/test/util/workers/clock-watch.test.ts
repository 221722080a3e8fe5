import { pino } from 'pino'
import { describe, expect, test } from 'vitest'
import { Metrics } from '../../../src/telemetry/metrics.ts'
import { ClockWatch, REMOVAL_DELAY_MS } from '../../../src/util/workers/clock-watch.ts'
import { ManualClock } from '@hookline/testing/clocks/manual-clock'
import { RunningWorker } from '@hookline/testing/engine/running-worker'

const SECOND = 1_000
const DAY = 24 * 60 * 60 * SECOND

function watched(newestAt?: number) {
  const clock = new ManualClock()
  const metrics = new Metrics()
  const logged: { readonly msg: string; readonly [field: string]: unknown }[] = []
  const logger = pino({}, { write: (line: string) => void logged.push(JSON.parse(line)) })
  const watch = new ClockWatch({ clock, metrics, logger, newestAt })
  return { clock, metrics, logged, watch }
}

describe('the clock watch', () => {
  test.for([
    ['forward', 2 * DAY],
    ['back', -2 * DAY],
  ] as const)('reports once that the clock was set %s, within seconds', async ([direction, ms]) => {
    const { clock, metrics, logged, watch } = watched()
    await using _running = new RunningWorker(watch, clock)
    clock.jump(ms)
    clock.advance(5 * SECOND)
    clock.advance(5 * SECOND)
    await expect.poll(() => logged).toHaveLength(1)
    expect(logged[0]).toMatchObject({ msg: 'clock.jumped', direction, byMs: 2 * DAY })
    expect((await metrics.clockJumps.get()).values).toMatchObject([
      { labels: { direction }, value: 1 },
    ])
    expect((await metrics.clockOffset.get()).values[0]?.value).toBe(ms / SECOND)
    expect(watch.note).toContain(`jumped ${direction} by 172800 s`)
    clock.advance(REMOVAL_DELAY_MS)
    expect(watch.note).toBeUndefined()
  })

  test('ignores the small corrections of a synchronised clock', () => {
    const { clock, logged, watch } = watched()
    for (let step = 0; step < 9; step++) clock.jump(SECOND)
    watch.removalTime()
    expect(logged).toEqual([])
  })

  test('ignores a forward jump for an hour when judging the age of stored data', () => {
    const { clock, watch } = watched()
    const before = watch.removalTime()
    clock.jump(40 * DAY)
    expect(watch.removalTime()).toBe(before)
    clock.advance(REMOVAL_DELAY_MS - 1)
    expect(watch.removalTime()).toBe(before + REMOVAL_DELAY_MS - 1)
    clock.advance(1)
    expect(watch.removalTime()).toBe(clock.wall())
  })

  test('judges the age of stored data immediately if the clock went back or was corrected', () => {
    const { clock, watch } = watched()
    clock.jump(40 * DAY)
    watch.removalTime()
    clock.jump(-41 * DAY)
    expect(watch.removalTime()).toBe(clock.wall())
  })

  test('also waits for an hour if the newest data is days old at startup, and logs it', () => {
    const newestAt = new ManualClock().wall() - 40 * DAY
    const { clock, logged, watch } = watched(newestAt)
    expect(logged).toMatchObject([{ msg: 'clock.ahead_of_data', aheadMs: 40 * DAY }])
    expect(watch.removalTime()).toBe(newestAt)
    clock.advance(REMOVAL_DELAY_MS)
    expect(watch.removalTime()).toBe(clock.wall())
  })
})
