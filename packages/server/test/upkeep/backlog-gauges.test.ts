import { expect, test } from 'vitest'
import { BackendUnavailableError } from '../../src/backend/backend.ts'
import type { Backlog } from '../../src/backend/upkeep.ts'
import { Metrics } from '../../src/telemetry/metrics.ts'
import { reportBacklog } from '../../src/upkeep/upkeep.ts'
import { ManualClock } from '@hookline/testing/clocks/manual-clock'

function open(backlog: () => Promise<Backlog>) {
  const clock = new ManualClock()
  const metrics = new Metrics()
  const upkeep = { backlog, usedBytes: async () => 4096 }
  reportBacklog(metrics, upkeep, clock)
  return { clock, metrics }
}

const waiting: Backlog['waiting'] = [
  { destinationId: 'dst_a', state: 'pending', count: 3 },
  { destinationId: 'dst_b', state: 'pending', count: 4 },
  { destinationId: 'dst_b', state: 'held', count: 5 },
]

test('a scrape reports the backlog, its age and the size of the data', async () => {
  const { clock, metrics } = open(async () => ({
    waiting,
    oldestPendingAt: clock.now() - 90_000,
    quarantined: 2,
  }))
  expect((await metrics.scrape()).split('\n')).toEqual(
    expect.arrayContaining([
      'hookline_deliveries{state="pending"} 7',
      'hookline_deliveries{state="held"} 5',
      'hookline_oldest_pending_seconds 90',
      'hookline_quarantined 2',
      'hookline_database_bytes 4096',
    ]),
  )
})

test('while the backend is unavailable, a scrape succeeds and the gauges keep their values', async () => {
  let isUnavailable = false
  const { metrics } = open(async () => {
    if (isUnavailable) throw new BackendUnavailableError('simulated outage')
    return { waiting, oldestPendingAt: undefined, quarantined: 1 }
  })
  await metrics.scrape()
  isUnavailable = true
  expect(await metrics.scrape()).toContain('hookline_quarantined 1')
})
