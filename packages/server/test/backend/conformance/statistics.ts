import { describe, expect, test } from 'vitest'
import { type CountsRange, type CountsRow, SPANS } from '../../../src/backend/statistics.ts'
import { NOON } from '@hookline/testing/records/accepted-event'
import type { BackendHarness, OpenBackendHarness } from './backend-harness.ts'

const row = (change: Partial<CountsRow> = {}): CountsRow => ({
  span: 'minute',
  start: NOON,
  sourceId: 'src_a',
  destinationId: '',
  counts: { received: 2 },
  ...change,
})

async function rowsIn(
  { backend }: BackendHarness,
  range: Partial<CountsRange> = {},
): Promise<CountsRow[]> {
  const found: CountsRow[] = []
  const whole = { span: 'minute', from: NOON, to: NOON + SPANS.hour, ...range } as const
  for await (const batch of backend.statistics.read(whole)) found.push(...batch)
  return found
}

export function statisticsConformance(open: OpenBackendHarness): void {
  describe('statistics', () => {
    test('are summed by span, source and destination, across a restart', async () => {
      await using harness = await open()
      await harness.backend.statistics.add([row(), row({ sourceId: 'src_b' })])
      await harness.reopen()
      await harness.backend.statistics.add([row({ counts: { received: 1, 'failed.expired': 1 } })])
      expect(await rowsIn(harness)).toEqual([
        row({ counts: { received: 3, 'failed.expired': 1 } }),
        row({ sourceId: 'src_b' }),
      ])
    })

    test('are read for a range of time, by source and destination', async () => {
      await using harness = await open()
      const [a, b, c, hour] = [
        row(),
        row({ start: NOON + SPANS.minute, destinationId: 'dst_a' }),
        row({ start: NOON + 2 * SPANS.minute, sourceId: 'src_b' }),
        row({ span: 'hour' }),
      ]
      await harness.backend.statistics.add([c, b, a, hour])
      expect(await rowsIn(harness)).toEqual([a, b, c])
      expect(await rowsIn(harness, { to: b.start })).toEqual([a])
      expect(await rowsIn(harness, { from: b.start })).toEqual([b, c])
      expect(await rowsIn(harness, { sourceId: 'src_b' })).toEqual([c])
      expect(await rowsIn(harness, { destinationId: 'dst_a' })).toEqual([b])
      expect(await rowsIn(harness, { sourceId: 'src_a' })).toEqual([a, b])
      expect(await rowsIn(harness, { sourceId: 'src_a', destinationId: 'dst_a' })).toEqual([b])
      const days = { sourceId: 'src_b', to: NOON + 1_000 * SPANS.hour }
      expect(await rowsIn(harness, days)).toEqual([c])
      expect(await rowsIn(harness, { span: 'hour' })).toEqual([hour])
    })

    test('are summed in steps from the beginning of the range, by source and destination', async () => {
      await using harness = await open()
      const minute = (number: number, more: Partial<CountsRow> = {}): CountsRow =>
        row({ start: NOON + number * SPANS.minute, ...more })
      await harness.backend.statistics.add([
        minute(1),
        minute(2, { counts: { received: 1, 'failed.expired': 1 } }),
        minute(2, { destinationId: 'dst_a' }),
        minute(5),
        minute(6),
      ])
      const range = { from: NOON + SPANS.minute, stepMs: 5 * SPANS.minute }
      expect(await rowsIn(harness, range)).toEqual([
        minute(1, { counts: { received: 5, 'failed.expired': 1 } }),
        minute(1, { destinationId: 'dst_a' }),
        minute(6),
      ])
    })

    test('are read completely if they need several batches', async () => {
      await using harness = await open()
      const rows = Array.from({ length: 4_500 }, (_, index) =>
        row({ sourceId: `src_${String(index).padStart(4, '0')}` }),
      )
      await harness.backend.statistics.add(rows)
      expect(await rowsIn(harness)).toEqual(rows)
    })

    test('are removed by age', async () => {
      await using harness = await open()
      const later = row({ start: NOON + SPANS.minute })
      await harness.backend.statistics.add([row(), later])
      await harness.backend.statistics.removeBefore('minute', later.start)
      await harness.backend.statistics.removeBefore('hour', later.start + 1)
      expect(await rowsIn(harness)).toEqual([later])
    })
  })
}
