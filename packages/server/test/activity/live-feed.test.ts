import { expect, test } from 'vitest'
import type { LiveMessage } from '../../src/activity/live-cursor.ts'
import { LiveTail } from '../../src/activity/live-tail.ts'
import type { Feed, FeedFollower, Following } from '../../src/backend/signals.ts'
import { acceptedEvent } from '@hookline/testing/records/accepted-event'
import { ManualClock } from '@hookline/testing/clocks/manual-clock'

/** A feed whose values a test lets go, lose, or come again. */
class HeldFeed implements Feed {
  isFollowed = true
  readonly published: object[] = []
  follower: FeedFollower | undefined

  publish(value: object): void {
    this.published.push(value)
  }

  follow(follower: FeedFollower): Following {
    this.follower = follower
    follower.begin('0000000a', 0)
    return { caughtUp: Promise.resolve(), [Symbol.dispose]: () => (this.follower = undefined) }
  }

  async forget(): Promise<void> {
    this.published.length = 0
  }

  /** Lets the values from one number to another one go, at ten positions for each. */
  release(from: number, to: number): void {
    for (let number = from; number <= to; number++)
      this.follower!.add(this.published[number - 1]!, number * 10)
  }
}

const namesOf = (messages: readonly LiveMessage[]): string[] =>
  messages.map(({ name, data }) => ('eventId' in data ? data.eventId : name))

function openTail(): { feed: HeldFeed; tail: LiveTail; ids: readonly string[] } {
  const feed = new HeldFeed()
  const tail = new LiveTail(new ManualClock(), feed, { size: 100 })
  const events = Array.from({ length: 6 }, () => acceptedEvent())
  tail.received(events)
  return { feed, tail, ids: events.map(({ id }) => id) }
}

test('what got lost between nodes is a gap at its place, with its number', () => {
  const { feed, tail, ids } = openTail()
  using cursor = tail.read({})
  feed.release(1, 2)
  feed.follower!.miss(3)
  feed.release(6, 6)
  const messages = cursor.read(9)
  expect(namesOf(messages)).toEqual([ids[0], ids[1], 'gap', ids[5]])
  expect(messages[2]).toMatchObject({ data: { reason: 'lost', missed: 3 } })
})

test('a feed that begins again in the same order is read on from where each reader was', () => {
  const { feed, tail, ids } = openTail()
  using ahead = tail.read({})
  using behind = tail.read({})
  feed.release(1, 4)
  expect(ahead.read(9)).toHaveLength(4)
  expect(behind.read(1)).toHaveLength(1)
  feed.follower!.begin('0000000a', 0)
  feed.release(1, 6)
  expect(namesOf(ahead.read(9))).toEqual(ids.slice(4))
  expect(namesOf(behind.read(9))).toEqual(ids.slice(1))
})

test('a feed that begins again without what a reader has not read, or in another order, is a gap', () => {
  const { feed, tail, ids } = openTail()
  using cursor = tail.read({})
  feed.release(1, 1)
  expect(cursor.read(9)).toHaveLength(1)
  feed.follower!.begin('0000000a', 40)
  feed.release(5, 5)
  expect(namesOf(cursor.read(9))).toEqual(['gap', ids[4]])
  feed.follower!.begin('0000000b', 0)
  feed.release(6, 6)
  expect(namesOf(cursor.read(9))).toEqual(['gap', ids[5]])
})

test('a reader whose id is ahead of this node waits for what is on its way', async () => {
  const feed = new HeldFeed()
  const clock = new ManualClock()
  const tail = new LiveTail(clock, feed, { size: 100 })
  const events = Array.from({ length: 3 }, () => acceptedEvent())
  tail.received(events)
  using other = tail.read({})
  feed.release(1, 1)
  const ready = tail.ready('0000000a-20')
  await clock.turn()
  feed.release(2, 2)
  clock.advance(20)
  await ready
  using cursor = tail.read({}, '0000000a-20')
  feed.release(3, 3)
  expect(namesOf(cursor.read(9))).toEqual([events[2]!.id])
  expect(other.read(9)).toHaveLength(3)
})
