import { pino } from 'pino'
import { describe, expect, test } from 'vitest'
import { RecentAttempts } from '../../../src/activity/recent-attempts.ts'
import { StatisticsRecorder } from '../../../src/activity/statistics-recorder.ts'
import type { Backend } from '../../../src/backend/backend.ts'
import { acceptedEvent } from '@hookline/testing/records/accepted-event'
import { clockWatchOf } from '@hookline/testing/clocks/clock-watch-of'
import { clusterSkipReason } from '@hookline/testing/cluster/cluster-servers'
import { failedOnce } from '@hookline/testing/records/failed-once'
import { ManualClock } from '@hookline/testing/clocks/manual-clock'
import { openNodes, type OpenNodes } from './open-nodes.ts'

const MINUTE_MS = 60_000

/** A recorder on a manual clock. */
function recorderOf(backend: Backend, clock: ManualClock): StatisticsRecorder {
  const logger = pino({ enabled: false })
  const recorder = new StatisticsRecorder({
    ...backend,
    clock,
    clockWatch: clockWatchOf(clock),
    logger,
  })
  recorder.start()
  return recorder
}

async function receivedIn(recorder: StatisticsRecorder, clock: ManualClock): Promise<number> {
  const to = clock.wall() + MINUTE_MS
  let received = 0
  for await (const rows of recorder.read({ span: 'minute', from: to - 60 * MINUTE_MS, to }))
    for (const { counts } of rows) received += counts['received'] ?? 0
  return received
}

async function openKnown(count: number): Promise<OpenNodes> {
  const opened = await openNodes(count)
  for (const { nodes } of opened.nodes) await expect.poll(() => nodes.current).toHaveLength(count)
  return opened
}

describe.skipIf(clusterSkipReason() !== undefined)('with several nodes', () => {
  test('statistics include the current minute of all nodes, and count nothing twice during a write', async () => {
    await using opened = await openKnown(2)
    const clock = new ManualClock()
    await using a = recorderOf(opened.nodes[0]!, clock)
    await using b = recorderOf(opened.nodes[1]!, clock)
    a.received([acceptedEvent()])
    b.received([acceptedEvent(), acceptedEvent()])
    for (const each of [a, b]) await expect.poll(() => receivedIn(each, clock)).toBe(3)
    clock.advance(MINUTE_MS)
    const looks = await Promise.all(
      Array.from({ length: 10 }, (_, index) => receivedIn(index % 2 === 0 ? a : b, clock)),
    )
    // A node that is too busy to respond in time is left out.
    expect(Math.max(...looks)).toBe(3)
    await expect.poll(() => receivedIn(a, clock)).toBe(3)
  })

  test('the attempts in the last hour include all nodes', async () => {
    await using opened = await openKnown(2)
    const clock = new ManualClock()
    const [a, b] = opened.nodes.map(({ signals }) => new RecentAttempts(clock, signals))
    const failedAt = clock.wall()
    a!.recorded(failedOnce(acceptedEvent(), 'dst_a'))
    b!.recorded(failedOnce(acceptedEvent(), 'dst_a'))
    b!.recorded(failedOnce(acceptedEvent(), 'dst_b'))
    const expected = { attempts: 2, delivered: 0, lastFailedAt: failedAt }
    // A node that is too busy to respond in time is left out.
    for (const recent of [a!, b!])
      await expect.poll(() => recent.of('dst_a')).toMatchObject(expected)
  })
})
