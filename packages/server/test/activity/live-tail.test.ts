import { withParsedFields } from '../../src/backend/accepted-event.ts'
import type { AcceptedEvent } from '@hookline/protocol'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { ActivityFilter } from '../../src/activity/activity.ts'
import type { LiveReader, StreamMessage } from '../../src/activity/live-reader.ts'
import { LiveTopics } from '../../src/activity/live-topics.ts'
import { NO_SIGNALS } from '../../src/backend/embedded/single-node.ts'
import { acceptedEvent } from '@hookline/testing/records/accepted-event'
import { computedEvent } from '@hookline/testing/records/computed-event'
import { failedOnce } from '@hookline/testing/records/failed-once'
import { ManualClock } from '@hookline/testing/clocks/manual-clock'

function openLive(maxActivities?: number, clock = new ManualClock()): LiveTopics {
  const backlog = async () => ({ waiting: [], oldestPendingAt: undefined, quarantined: 0 })
  return new LiveTopics(clock, { backlog }, NO_SIGNALS, maxActivities)
}

function read(live: LiveTopics, filter: ActivityFilter = {}, lastId?: string): LiveReader {
  const view = { isShown: () => true, showsRequests: true }
  return live.read({ topics: new Set(['activity']), filter, view, lastId })
}

const events = (count: number): AcceptedEvent[] =>
  Array.from({ length: count }, () => acceptedEvent())

const eventIds = (messages: readonly StreamMessage[]): string[] =>
  messages.flatMap(({ data }) => ('eventId' in data ? [data.eventId] : []))

const namesOf = (reader: LiveReader): string[] => reader.read(100).map(({ name }) => name)

test('sends a reader every activity since it connected, in order, each with an id', () => {
  const live = openLive()
  live.tail.received(events(3))
  using cursor = read(live)
  const appended = events(3)
  live.tail.received(appended)
  const messages = cursor.read(100)
  expect(eventIds(messages)).toEqual(appended.map(({ id }) => id))
  expect(new Set(messages.map(({ id }) => id)).size).toBe(3)
  expect(cursor.read(100)).toEqual([])
})

test('a reader that resumes after its last id misses nothing and receives nothing twice', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(5), { minLength: 1, maxLength: 30 }), (readAtOnce) => {
      const live = openLive(1_000)
      read(live)[Symbol.dispose]()
      const appended = events(readAtOnce.length * 3)
      const seen: StreamMessage[] = []
      let lastId = `${live.run}-0`
      for (const [index, max] of readAtOnce.entries()) {
        live.tail.received(appended.slice(index * 3, index * 3 + 3))
        using cursor = read(live, {}, lastId)
        const messages = cursor.read(max)
        seen.push(...messages)
        lastId = messages.at(-1)?.id ?? lastId
      }
      using cursor = read(live, {}, lastId)
      seen.push(...cursor.read(1_000))
      expect(eventIds(seen)).toEqual(appended.map(({ id }) => id))
    }),
    { numRuns: 50 },
  )
})

test('a reader that resumes too late first receives a gap', () => {
  const live = openLive(10)
  using first = read(live)
  live.tail.received(events(1))
  const lastId = first.read(1)[0]!.id
  live.tail.received(events(12))
  using cursor = read(live, {}, lastId)
  const [gap, ...rest] = cursor.read(100)
  expect(gap).toMatchObject({ name: 'gap', data: { reason: 'too_long_ago' } })
  expect(rest.filter(({ name }) => name === 'event').length).toBeLessThanOrEqual(10)
})

test('an id from before a restart, or an invalid id, causes a gap', () => {
  const [before, after] = [openLive(), openLive()]
  const { run } = after
  for (const lastId of [`${before.run}-0`, 'nonsense', '', `${run}-99`, `${run}-0.5`]) {
    using cursor = read(after, {}, lastId)
    const gap = { name: 'gap', data: { reason: 'too_long_ago', missed: null } }
    expect([lastId, cursor.read(9)]).toMatchObject([lastId, [gap]])
    expect(cursor.read(9)).toEqual([])
  }
})

test('keeps activities for five minutes after the last reader left, then reports a gap', () => {
  const clock = new ManualClock()
  const live = openLive(undefined, clock)
  const appended = events(3)
  const first = read(live)
  live.tail.received([appended[0]!])
  const lastId = first.read(1)[0]!.id
  first[Symbol.dispose]()
  clock.advance(5 * 60_000 - 1)
  live.tail.received([appended[1]!])
  const second = read(live, {}, lastId)
  expect(eventIds(second.read(9))).toEqual([appended[1]!.id])
  second[Symbol.dispose]()
  clock.advance(5 * 60_000)
  live.tail.received([appended[2]!])
  using third = read(live, {}, second.lastId)
  expect(namesOf(third)).toEqual(['gap'])
})

test('a reader that was overtaken receives the number of missed activities, then the newer half', () => {
  const live = openLive(100)
  using cursor = read(live)
  live.tail.received(events(1))
  cursor.read(1)
  const later = events(250)
  live.tail.received(later)
  const [gap, ...rest] = cursor.read(100)
  expect(gap).toMatchObject({ name: 'gap', data: { reason: 'reader_too_slow', missed: 200 } })
  expect(eventIds(rest)).toEqual(later.slice(200).map(({ id }) => id))
})

test('filters by kind, source, destination, type, name and user', () => {
  const live = openLive()
  const received = (filter: ActivityFilter): string[] => {
    const mine = acceptedEvent({ userId: 'u1', event: 'Order Completed', sourceId: 'src_a' })
    const other = acceptedEvent({ type: 'page', event: 'Home', userId: 'u2', sourceId: 'src_b' })
    using cursor = read(live, filter)
    live.tail.received([mine, other])
    for (const event of [mine, other]) {
      live.tail.decided({ event, destinationId: 'dst_a', decision: 'deliver' })
      live.tail.decided({ event, destinationId: 'dst_b', decision: 'integrations' })
      live.tail.recorded(failedOnce(event, 'dst_a'))
    }
    return cursor.read(100).map(({ name, data }) => {
      const which = 'eventId' in data && data.eventId === mine.id ? 'mine' : 'other'
      return `${which} ${name}`
    })
  }
  const all = (which: string) => [`${which} decision`, `${which} decision`, `${which} attempt`]
  expect(received({ kind: 'attempt' })).toEqual(['mine attempt', 'other attempt'])
  for (const filter of [
    { sourceId: 'src_a' },
    { type: 'track' },
    { event: 'Order Completed' },
    { userId: 'u1' },
  ]) {
    expect(received(filter)).toEqual(['mine event', ...all('mine')])
  }
  expect(received({ destinationId: 'dst_b' })).toEqual([
    'mine event',
    'other event',
    'mine decision',
    'other decision',
  ])
})

test('an event whose decision arrives first is sent before the decision, and only once', () => {
  const live = openLive()
  using cursor = read(live)
  const event = acceptedEvent()
  live.tail.decided({ event, destinationId: 'dst_a', decision: 'deliver' })
  live.tail.received([event])
  live.tail.recorded(failedOnce(event, 'dst_a'))
  const messages = cursor.read(9)
  expect(messages.map(({ name }) => name)).toEqual(['event', 'decision', 'attempt'])
  expect(messages[0]).toMatchObject({ data: { eventId: event.id, at: event.receivedAt } })
})

test('a purge removes all activities of the user in the purged sources', () => {
  const live = openLive()
  const long = 'u'.repeat(300)
  using first = read(live)
  const [mine, otherSource, other] = [
    acceptedEvent({ userId: long, sourceId: 'src_a' }),
    acceptedEvent({ userId: long, sourceId: 'src_b' }),
    acceptedEvent({ userId: 'u2', sourceId: 'src_a' }),
  ]
  const start = first.lastId!
  live.tail.received([mine, otherSource, other])
  for (const event of [mine, other]) {
    live.tail.decided({ event, destinationId: 'dst_a', decision: 'deliver' })
    live.tail.recorded(failedOnce(event, 'dst_a'))
  }
  live.tail.purged({ anonymousIds: [], userIds: [long], sourceIds: ['src_a'] })
  using again = read(live, {}, start)
  for (const cursor of [first, again])
    expect(eventIds(cursor.read(100))).toEqual([otherSource.id, other.id, other.id, other.id])
  live.tail.purged({ anonymousIds: [], userIds: [long, 'u2'], sourceIds: null })
  using third = read(live, {}, start)
  expect(third.read(100)).toEqual([])
})

test('a purge of an anonymousId removes its activities, with any userId', () => {
  const live = openLive()
  using cursor = read(live)
  const [mine, other] = [acceptedEvent({ anonymousId: 'a1' }), acceptedEvent({ userId: 'a1' })]
  live.tail.received([mine, other])
  live.tail.purged({ userIds: [], anonymousIds: ['a1'], sourceIds: null })
  expect(eventIds(cursor.read(9))).toEqual([other.id])
})

test('a purge of some sources also removes the computed events of the user', () => {
  const live = openLive()
  using cursor = read(live)
  const [mine, other] = [computedEvent(), computedEvent(['dst_a'], { userId: 'u2' })]
  live.tail.received([mine, other])
  live.tail.purged({ anonymousIds: [], userIds: ['u1'], sourceIds: ['src_a'] })
  expect(cursor.read(9)).toMatchObject([
    { data: { eventId: other.id, sourceId: 'aud_a', computed: true } },
  ])
})

test('a computed event shows which audience a user entered or left', () => {
  const live = openLive()
  using cursor = read(live, { event: 'big_spenders' })
  const entered = withParsedFields(computedEvent())
  const left = {
    ...entered,
    id: 'evt_b',
    event: { ...entered.event, traits: { big_spenders: false } },
  }
  const ofTrait = {
    ...entered,
    id: 'evt_c',
    origin: { computationId: 'trt_a', destinationIds: [] },
  }
  live.tail.received([entered, left, ofTrait, acceptedEvent({ event: 'big_spenders' })])
  expect(cursor.read(9).map(({ data }) => data)).toMatchObject([
    { name: 'big_spenders', change: 'entered' },
    { name: 'big_spenders', change: 'left' },
    { name: 'big_spenders', change: 'changed' },
    { name: 'big_spenders', change: null },
  ])
})
