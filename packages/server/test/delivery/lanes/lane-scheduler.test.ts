import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { AttemptSpacing } from '../../../src/delivery/lanes/attempt-spacing.ts'
import { LaneScheduler, partOfLimit } from '../../../src/delivery/lanes/lane-scheduler.ts'
import type { Lane } from '../../../src/delivery/lanes/lane.ts'
import { OpenDeliveries, type PartTask } from '../../../src/delivery/lanes/open-delivery.ts'
import { Metrics } from '../../../src/telemetry/metrics.ts'
import { acceptedEvent } from '@hookline/testing/records/accepted-event'
import { ManualClock } from '@hookline/testing/clocks/manual-clock'

const MINUTE = 60_000
const A = { destinationId: 'dst_a', url: 'https://a.example/' }
const B = { destinationId: 'dst_b', url: 'https://b.example/' }

/** A scheduler whose tasks stay in flight. `nextAt`: when the next attempt of lane A may begin. */
function open(nextAt = () => 0) {
  const clock = new ManualClock()
  const inFlight: [Lane, PartTask][] = []
  const scheduler = new LaneScheduler({
    clock,
    metrics: new Metrics(),
    limits: { maxInFlight: 8, maxConcurrencyPerWebhook: 2, webhookQueueSize: 8, maxInMemory: 64 },
    nextAttemptAt: ({ url }) => (url === A.url ? nextAt() : 0),
    limitsOf: () => undefined,
    spacing: new AttemptSpacing(clock),
    isBlocked: () => false,
    signal: new AbortController().signal,
    onSlot: (...begun) => void inFlight.push(begun),
  })
  return { clock, scheduler, inFlight }
}

function task(): PartTask {
  const event = acceptedEvent()
  const ids = { id: 'msg_a', eventId: event.id, destinationId: A.destinationId }
  const times = { firstDueAt: 0, dueAt: 0 }
  const delivery = { ...ids, ...times, state: 'pending', attemptCount: 0, webhooks: [] } as const
  const opened = new OpenDeliveries().add(delivery, event)
  return { open: opened, url: A.url, origin: 'fresh', isRetry: false }
}

describe('a lane without tasks', () => {
  test('that recovers is kept for a minute, then closed', () => {
    const { clock, scheduler } = open()
    const lane = scheduler.lane(A)
    lane.beginRecovery(clock.now())
    clock.advance(MINUTE - 1)
    scheduler.lane(B)
    expect(scheduler.lane(A)).toBe(lane)
    clock.advance(2 * MINUTE)
    scheduler.lane(B)
    expect(scheduler.lane(A)).not.toBe(lane)
  })

  test('is kept for a minute after its last task while it recovers', () => {
    const { clock, scheduler, inFlight } = open()
    const lane = scheduler.lane(A)
    lane.beginRecovery(clock.now())
    scheduler.add(lane, task())
    clock.advance(2 * MINUTE)
    const [[, ended]] = inFlight as [[Lane, PartTask]]
    scheduler.endAttempt(lane, ended)
    lane.recorded(ended)
    scheduler.closeIfIdle(lane)
    scheduler.lane(B)
    expect(scheduler.lane(A)).toBe(lane)
  })

  test('that was looked up but never used is also closed', () => {
    const { clock, scheduler } = open()
    const lane = scheduler.lane(A)
    clock.advance(2 * MINUTE)
    scheduler.lane(B)
    expect(scheduler.lane(A)).not.toBe(lane)
  })
})

test('a lane with a task is never closed', () => {
  const { clock, scheduler } = open()
  const lane = scheduler.lane(A)
  scheduler.add(lane, task())
  clock.advance(10 * MINUTE)
  scheduler.lane(B)
  expect(scheduler.lane(A)).toBe(lane)
  expect(scheduler.inMemory).toBe(1)
})

test('a paced lane holds no slot until its next attempt is due', () => {
  const times = [new ManualClock().now() + 100, new ManualClock().now() + 300]
  const { clock, scheduler, inFlight } = open(() => times[0]!)
  const [paced, other] = [scheduler.lane(A), scheduler.lane(B)]
  for (let count = 0; count < 2; count++) scheduler.add(paced, task())
  for (let count = 0; count < 2; count++) scheduler.add(other, task())
  expect(inFlight.map(([lane]) => lane)).toEqual([other, other])
  clock.advance(99)
  expect(inFlight).toHaveLength(2)
  clock.advance(1)
  expect(inFlight.filter(([lane]) => lane === paced).length).toBeGreaterThan(0)
  expect(scheduler.inFlightAt(A)).toBe(2)
})

test('a paced lane begins one attempt each time one is due', () => {
  const from = new ManualClock().now()
  let begun = 0
  const { clock, scheduler, inFlight } = open(() => from + begun * 100)
  const lane = scheduler.lane(A)
  const onBegun = (): void => {
    begun = inFlight.length
  }
  scheduler.add(lane, task())
  onBegun()
  scheduler.add(lane, task())
  expect(inFlight).toHaveLength(1)
  clock.advance(100)
  expect(inFlight).toHaveLength(2)
})

test('the shares of all nodes add up to the limit, or are 1 each if there are more nodes, and differ by at most one', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 200 }),
      fc.integer({ min: 1, max: 50 }),
      (limit, nodes) => {
        const parts = Array.from({ length: nodes }, (_, index) =>
          partOfLimit(limit, { nodes, index }),
        )
        const sum = parts.reduce((total, part) => total + part, 0)
        expect(sum).toBe(Math.max(limit, nodes))
        expect(Math.max(...parts) - Math.min(...parts)).toBeLessThanOrEqual(1)
        expect(Math.min(...parts)).toBeGreaterThanOrEqual(1)
      },
    ),
  )
})
