import { describe, expect, test } from 'vitest'
import { Lane, type DeliveryTask } from '../../../src/delivery/lanes/lane.ts'
import { acceptedEvent } from '../../harness/accepted-event.ts'

const WINDOW = 8

const laneOf = (window: number): Lane =>
  new Lane('dst_a', { window: () => window, concurrency: 4, cost: () => 1, mayRetry: () => true })

function task(origin: DeliveryTask['origin']): DeliveryTask {
  const event = acceptedEvent()
  const ids = { id: 'msg_a', eventId: event.id, destinationId: 'dst_a' }
  const delivery = {
    ...ids,
    state: 'pending',
    rounds: 0,
    firstDueAt: 0,
    dueAt: 0,
    webhooks: [],
  } as const
  return { event, delivery, origin, onRecorded: () => undefined }
}

function fill(lane: Lane, origin: DeliveryTask['origin']): void {
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

  test('with a backlog gives each origin half of its window', () => {
    const lane = laneOf(WINDOW)
    lane.isBacklogged = true
    fill(lane, 'fresh')
    expect(lane.size).toBe(WINDOW / 2)
    fill(lane, 'parked')
    expect(lane.size).toBe(WINDOW)
  })

  test('that is full of fresh tasks has room for parked ones as soon as fresh ones end', () => {
    const lane = laneOf(WINDOW)
    fill(lane, 'fresh')
    lane.isBacklogged = true
    expect([lane.roomFor('parked'), lane.isLow]).toEqual([0, false])
    for (let done = 0; done < WINDOW / 4; done++) {
      const taken = lane.beginRound()
      lane.endRound()
      lane.recorded(taken)
    }
    expect([lane.roomFor('parked'), lane.isLow, lane.roomFor('fresh')]).toEqual([2, true, 0])
  })
})
