import type { Delivery, DeliveryPart } from '@hookline/protocol'
import { describe, expect, test } from 'vitest'
import { withCorrectedDueTimes } from '../../../src/delivery/parking/parked-changes.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const START = Date.UTC(2026, 0, 15, 12)
const TIMES = { startedAt: START, now: START + MINUTE, maxWaitMs: HOUR }

function delivery(...parts: readonly Partial<DeliveryPart>[]): Delivery {
  const part = { url: 'https://a.example/', state: 'pending', firstDueAt: START, dueAt: START }
  const webhooks = parts.map((change) => ({ ...part, ...change }) as DeliveryPart)
  const ids = { id: 'msg_a', eventId: 'evt_a', destinationId: 'dst_a' }
  return { ...ids, state: 'pending', attemptCount: 1, firstDueAt: START, dueAt: START, webhooks }
}

const timesOf = ({ webhooks }: Delivery): unknown =>
  webhooks.map(({ firstDueAt, dueAt }) => [
    firstDueAt - START,
    dueAt === null ? null : dueAt - START,
  ])

describe('a part stored by another process', () => {
  test.for([
    ['was due before this process started', -2 * DAY - HOUR, -2 * DAY, -HOUR, 0],
    ['is due when this process starts', -HOUR, 0, -HOUR, 0],
    ['is due later than the longest possible wait', 2 * DAY - HOUR, 2 * DAY, MINUTE - HOUR, MINUTE],
    ['is due later because of earlier limits', -HOUR, 10 * HOUR, -HOUR, MINUTE],
    [
      'is due at the end of the longest possible wait',
      MINUTE,
      MINUTE + HOUR,
      MINUTE,
      MINUTE + HOUR,
    ],
  ] as const)(
    'that %s gets a due time within the longest possible wait, and keeps the rest of its window',
    ([, firstDueAt, dueAt, first, due]) => {
      const stored = delivery({ firstDueAt: START + firstDueAt, dueAt: START + dueAt })
      const known = withCorrectedDueTimes(stored, TIMES)
      expect(timesOf(known)).toEqual([[first, due]])
      expect(withCorrectedDueTimes(known, TIMES)).toBe(known)
    },
  )

  test('keeps its times if it has ended or is held, regardless of the other parts of its delivery', () => {
    const ended = { state: 'expired', firstDueAt: START - DAY, dueAt: null } as const
    const held = { state: 'held', firstDueAt: START - DAY, dueAt: null } as const
    const late = { firstDueAt: START - DAY, dueAt: START - DAY }
    expect(timesOf(withCorrectedDueTimes(delivery(ended, held, late), TIMES))).toEqual([
      [-DAY, null],
      [-DAY, null],
      [0, 0],
    ])
  })
})
