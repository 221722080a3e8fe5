import { describe, expect, test } from 'vitest'
import { openClusterBackend } from '../../../src/backend/cluster/open.ts'
import type { CountsRow } from '../../../src/backend/statistics.ts'
import { NOON } from '@hookline/testing/records/accepted-event'
import { clusterSkipReason } from '@hookline/testing/cluster/cluster-servers'
import { eventNamesConformance } from '../conformance/event-names.ts'
import { statisticsConformance } from '../conformance/statistics.ts'
import { openClusterHarness } from './open-cluster-harness.ts'

const rowsOf = (received: number): CountsRow[] =>
  Array.from({ length: 200 }, (_, index) => ({
    span: 'minute',
    start: NOON,
    sourceId: `src_${String(index).padStart(3, '0')}`,
    destinationId: '',
    counts: { received },
  }))

describe.skipIf(clusterSkipReason() !== undefined)('on a cluster', () => {
  statisticsConformance(openClusterHarness)
  eventNamesConformance(openClusterHarness)

  test('counts that nodes add at once, in any order, add up', async () => {
    await using harness = await openClusterHarness()
    await using other = await openClusterBackend(harness.options)
    await Promise.all(
      Array.from({ length: 5 }, () => [
        harness.backend.statistics.add(rowsOf(1)),
        other.statistics.add(rowsOf(2).toReversed()),
      ]).flat(),
    )
    const found: CountsRow[] = []
    const range = { span: 'minute', from: NOON, to: NOON + 1 } as const
    for await (const batch of other.statistics.read(range)) found.push(...batch)
    expect(found).toEqual(rowsOf(15))
  })

  test('rows that appear twice in one call count twice', async () => {
    await using harness = await openClusterHarness()
    const { statistics } = harness.backend
    await statistics.add([...rowsOf(1), ...rowsOf(2)])
    const found: CountsRow[] = []
    const range = { span: 'minute', from: NOON, to: NOON + 1 } as const
    for await (const batch of statistics.read(range)) found.push(...batch)
    expect(found).toEqual(rowsOf(3))
  })
})
