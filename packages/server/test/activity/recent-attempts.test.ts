import type { Attempt, Delivery } from '@hookline/protocol'
import { expect, test } from 'vitest'
import { NO_SIGNALS } from '../../src/backend/embedded/single-node.ts'
import { RecentAttempts } from '../../src/activity/recent-attempts.ts'
import { ManualClock } from '@hookline/testing/clocks/manual-clock'

const HOUR = 3_600_000

function record(recent: RecentAttempts, ...outcomes: readonly Attempt['outcome'][]): void {
  const delivery = { destinationId: 'dst_a' } as Delivery
  const attempts = outcomes.map((outcome) => ({ outcome }) as Attempt)
  recent.recorded({ delivery, attempts, isEnd: false })
}

test('counts the attempts to a destination, and how many of them succeeded', () => {
  const recent = new RecentAttempts(new ManualClock(), NO_SIGNALS)
  record(recent, 'delivered', 'retry')
  record(recent, 'rejected')
  record(recent)
  expect(recent.ownOf('dst_a')).toMatchObject({ attempts: 3, delivered: 1 })
  expect(recent.ownOf('dst_b')).toMatchObject({ attempts: 0, delivered: 0 })
})

test('an event that the transform declined is neither an attempt nor a failure', () => {
  const recent = new RecentAttempts(new ManualClock(), NO_SIGNALS)
  record(recent, 'delivered')
  record(recent, 'declined')
  expect(recent.ownOf('dst_a')).toMatchObject({
    attempts: 1,
    delivered: 1,
    lastFailedAt: undefined,
  })
})

test('reports the time of the most recent success', () => {
  const clock = new ManualClock()
  const recent = new RecentAttempts(clock, NO_SIGNALS)
  record(recent, 'retry')
  expect(recent.ownOf('dst_a').lastDeliveredAt).toBeUndefined()
  clock.advance(120_000)
  record(recent, 'delivered')
  expect(recent.ownOf('dst_a').lastDeliveredAt).toBe(clock.wall())
})

test('reports the time of the most recent failure, until that attempt is dropped', () => {
  const clock = new ManualClock()
  const recent = new RecentAttempts(clock, NO_SIGNALS)
  const failedAt = clock.wall()
  record(recent, 'delivered', 'retry')
  clock.advance(120_000)
  record(recent, 'delivered')
  expect(recent.ownOf('dst_a').lastFailedAt).toBe(failedAt)
  record(recent, 'rejected')
  expect(recent.ownOf('dst_a').lastFailedAt).toBe(failedAt + 120_000)
  clock.advance(HOUR)
  expect(recent.ownOf('dst_a').lastFailedAt).toBeUndefined()
})

test('drops attempts after an hour, minute by minute', () => {
  const clock = new ManualClock()
  const recent = new RecentAttempts(clock, NO_SIGNALS)
  record(recent, 'retry')
  clock.advance(30 * 60_000)
  record(recent, 'delivered')
  clock.advance(HOUR / 2 - 1)
  expect(recent.ownOf('dst_a')).toMatchObject({ attempts: 2, delivered: 1 })
  clock.advance(1)
  expect(recent.ownOf('dst_a')).toMatchObject({ attempts: 1, delivered: 1 })
  record(recent, 'retry')
  expect(recent.ownOf('dst_a')).toMatchObject({ attempts: 2, delivered: 1 })
  clock.advance(2 * HOUR)
  expect(recent.ownOf('dst_a')).toMatchObject({ attempts: 0, delivered: 0 })
})
