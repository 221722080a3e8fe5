import { describe, expect, test } from 'vitest'
import { Lane } from '../../../src/delivery/lanes/lane.ts'
import { OpenDeliveries, type PartTask } from '../../../src/delivery/lanes/open-delivery.ts'
import { acceptedEvent } from '@hookline/testing/records/accepted-event'

const WINDOW = 8
const id = { destinationId: 'dst_a', url: 'https://a.example/' }

const laneOf = (window: number): Lane =>
  new Lane(id, { window: () => window, concurrency: () => 4 })

function task(origin: PartTask['origin'], isRetry = false): PartTask {
  const event = acceptedEvent()
  const ids = { id: 'msg_a', eventId: event.id, destinationId: 'dst_a' }
  const times = { firstDueAt: 0, dueAt: 0 }
  const delivery = { ...ids, ...times, state: 'pending', attemptCount: 0, webhooks: [] } as const
  return { open: new OpenDeliveries().add(delivery, event), url: id.url, origin, isRetry }
}

function fill(lane: Lane, origin: PartTask['origin']): void {
  while (lane.roomFor(origin) > 0) lane.add(task(origin))
}

describe('a lane', () => {
  test.each([
    ['fresh', 'parked'],
    ['parked', 'fresh'],
  ] as const)(
    'never has more tasks in memory than its window: %s first, then %s',
    (first, second) => {
      for (let window = 1; window <= 2 * WINDOW; window++) {
        const lane = laneOf(window)
        fill(lane, first)
        fill(lane, second)
        expect(lane.size).toBe(window)
      }
    },
  )

  test('with a backlog gives new and parked tasks half of its window each', () => {
    const lane = laneOf(WINDOW)
    lane.isBacklogged = true
    fill(lane, 'fresh')
    expect(lane.size).toBe(WINDOW / 2)
    fill(lane, 'parked')
    expect(lane.size).toBe(WINDOW)
  })

  test('that is full of new tasks has room for parked ones as soon as new ones end', () => {
    const lane = laneOf(WINDOW)
    fill(lane, 'fresh')
    lane.isBacklogged = true
    expect([lane.roomFor('parked'), lane.isLow]).toEqual([0, false])
    for (let done = 0; done < WINDOW / 4; done++) {
      const active = lane.begin(true)!
      lane.endAttempt(active)
      lane.recorded(active)
    }
    expect([lane.roomFor('parked'), lane.isLow, lane.roomFor('fresh')]).toEqual([2, true, 0])
  })

  test('begins at most as many attempts as its concurrency, and alternates between new and parked tasks', () => {
    const lane = laneOf(WINDOW)
    fill(lane, 'parked')
    fill(lane, 'fresh')
    const begun = Array.from({ length: 4 }, () => lane.begin(true)!)
    expect(begun.map(({ origin }) => origin)).toEqual(['parked', 'fresh', 'parked', 'fresh'])
    expect(lane.mayBegin).toBe(false)
    lane.endAttempt(begun[0]!)
    expect(lane.mayBegin).toBe(true)
  })

  test('that recovers does not wait for earlier attempts or their results', () => {
    const lane = laneOf(WINDOW)
    fill(lane, 'fresh')
    const before = [lane.begin(true)!, lane.begin(true)!]
    lane.beginRecovery(0)
    expect(lane.mayBegin).toBe(true)
    const probe = lane.begin(true)!
    expect(lane.mayBegin).toBe(false)
    lane.onResult(probe, { outcome: 'delivered', begunAt: 0 }, { now: 1_000, isPaced: false })
    lane.endAttempt(probe)
    for (const each of before) {
      lane.onResult(each, { outcome: 'retry', begunAt: 0 }, { now: 2_000, isPaced: false })
      lane.endAttempt(each)
    }
    lane.begin(true)
    expect(lane.mayBegin).toBe(true)
  })

  test('begins no retry without a slot for retries, and drops a removed task', () => {
    const lane = laneOf(WINDOW)
    const retry = task('parked', true)
    lane.add(retry)
    expect(lane.begin(false)).toBeUndefined()
    expect(lane.remove(retry)).toBe(true)
    expect([lane.isEmpty, lane.mayBegin]).toEqual([true, false])
    lane.add(retry)
    expect(lane.begin(true)).toBe(retry)
    expect(lane.remove(retry)).toBe(false)
  })
})
