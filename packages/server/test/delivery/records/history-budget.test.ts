import type { Attempt } from '@hookline/protocol'
import { expect, test } from 'vitest'
import { HistoryBudget } from '../../../src/delivery/records/history-budget.ts'
import { Metrics } from '../../../src/telemetry/metrics.ts'
import { ManualClock } from '@hookline/testing/clocks/manual-clock'

const HOUR = 60 * 60 * 1000
const failed: Attempt = {
  id: 'att_1',
  number: 1,
  url: 'https://a.example/',
  startedAt: 0,
  durationMs: 1,
  outcome: 'retry',
  class: 'http_5xx',
  status: 500,
  headers: { server: 'x' },
  body: 'down',
}

function open() {
  const clock = new ManualClock()
  const metrics = new Metrics()
  const budget = new HistoryBudget(clock, metrics.historyBodiesDropped)
  const kept = (count: number, change: Partial<Attempt> = {}, destinationId = 'dst_a'): number =>
    Array.from({ length: count }, () =>
      budget.within(destinationId, { ...failed, ...change }),
    ).filter(({ body }) => body !== undefined).length
  const dropped = async () => (await metrics.historyBodiesDropped.get()).values[0]?.value
  return { clock, budget, kept, dropped }
}

test('keeps the first forty responses an hour for each destination, URL and class, and counts the rest', async () => {
  const { kept, dropped } = open()
  expect(kept(90)).toBe(40)
  expect(await dropped()).toBe(50)
  expect(kept(1)).toBe(0)
  expect(kept(1, { url: 'https://b.example/' })).toBe(1)
  expect(kept(1, { class: 'http_4xx' })).toBe(1)
  expect(kept(1, {}, 'dst_b')).toBe(1)
})

test('keeps one response per minute beyond the first forty: at most a hundred an hour', () => {
  const { kept, clock } = open()
  let inHour = 0
  for (let second = 0; second < HOUR / 1000; second += 1) {
    inHour += kept(50)
    clock.advance(1000)
  }
  expect(inHour).toBe(40 + 59)
})

test('keeps the response to one success per minute, and counts none of the others as dropped', async () => {
  const { budget, kept, dropped, clock } = open()
  const url = 'https://b.example/'
  const delivered = { url, outcome: 'delivered', class: 'delivered', status: 200 } as const
  expect(budget.keepsSuccess('dst_a', url)).toBe(true)
  expect(kept(5, delivered)).toBe(1)
  expect(budget.keepsSuccess('dst_a', url)).toBe(false)
  expect(budget.keepsSuccess('dst_b', url)).toBe(true)
  clock.advance(60_000)
  expect(budget.keepsSuccess('dst_a', url)).toBe(true)
  expect(kept(5, delivered)).toBe(1)
  expect(await dropped()).toBe(0)
})

test('starts again every hour', () => {
  const { kept, clock } = open()
  expect(kept(90)).toBe(40)
  clock.advance(HOUR)
  expect(kept(90)).toBe(40)
})

test('keeps attempts beyond the limit without their responses, and does not count attempts without one', async () => {
  const { budget, kept, dropped } = open()
  kept(40)
  const { headers: _headers, body: _body, ...rest } = failed
  expect(budget.within('dst_a', failed)).toEqual(rest)
  expect(budget.within('dst_a', rest)).toEqual(rest)
  expect(await dropped()).toBe(1)
})

test('keeps no response of a new kind when it has reached the limit of kinds', () => {
  const { kept } = open()
  const urls = Array.from({ length: 10_001 }, (_, index) => `https://a.example/${index}`)
  const all = urls.map((url) => kept(1, { url }))
  expect(all.filter((count) => count === 1)).toHaveLength(10_000)
  expect(kept(1, { url: urls[0]! })).toBe(1)
})
