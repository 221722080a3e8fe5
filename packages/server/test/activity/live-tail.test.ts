import { parsed } from '../../src/backend/accepted-event.ts'
import type { AcceptedEvent } from '@hookline/protocol'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { LiveCursor, LiveMessage } from '../../src/activity/live-cursor.ts'
import { LiveTail } from '../../src/activity/live-tail.ts'
import { SignalsOfOne } from '../../src/backend/embedded/signals-of-one.ts'
import { acceptedEvent } from '@hookline/testing/records/accepted-event'
import { computedEvent } from '@hookline/testing/records/computed-event'
import { failedOnce } from '@hookline/testing/records/failed-once'
import { ManualClock } from '@hookline/testing/clocks/manual-clock'

const events = (count: number): AcceptedEvent[] =>
  Array.from({ length: count }, () => acceptedEvent())

const eventIds = (messages: readonly LiveMessage[]): string[] =>
  messages.flatMap(({ data }) => ('eventId' in data ? [data.eventId] : []))

const namesOf = (cursor: LiveCursor): string[] => cursor.read(100).map(({ name }) => name)

test('sends a reader all activities from the time it opened, in order, each with an id', () => {
  const tail = new LiveTail(new ManualClock(), new SignalsOfOne().activity)
  tail.received(events(3))
  using cursor = tail.read({})
  const appended = events(3)
  tail.received(appended)
  const messages = cursor.read(100)
  expect(eventIds(messages)).toEqual(appended.map(({ id }) => id))
  expect(new Set(messages.map(({ id }) => id)).size).toBe(3)
  expect(cursor.read(100)).toEqual([])
})

test('a reader that resumes after its last id misses nothing and receives nothing twice', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(5), { minLength: 1, maxLength: 30 }), (readAtOnce) => {
      const tail = new LiveTail(new ManualClock(), new SignalsOfOne().activity, { size: 1_000 })
      tail.read({})[Symbol.dispose]()
      const appended = events(readAtOnce.length * 3)
      const seen: LiveMessage[] = []
      let lastId = tail.idOf(tail.next - 1)
      for (const [index, most] of readAtOnce.entries()) {
        tail.received(appended.slice(index * 3, index * 3 + 3))
        using cursor = tail.read({}, lastId)
        const messages = cursor.read(most)
        seen.push(...messages)
        lastId = messages.at(-1)?.id ?? lastId
      }
      using cursor = tail.read({}, lastId)
      seen.push(...cursor.read(1_000))
      expect(eventIds(seen)).toEqual(appended.map(({ id }) => id))
    }),
    { numRuns: 50 },
  )
})

test('a reader that resumes too late receives a gap first', () => {
  const tail = new LiveTail(new ManualClock(), new SignalsOfOne().activity, { size: 10 })
  using first = tail.read({})
  tail.received(events(1))
  const lastId = first.read(1)[0]!.id
  tail.received(events(12))
  using cursor = tail.read({}, lastId)
  const [gap, ...rest] = cursor.read(100)
  expect(gap).toMatchObject({ name: 'gap', data: { reason: 'too_long_ago' } })
  expect(rest.filter(({ name }) => name === 'event').length).toBeLessThanOrEqual(10)
})

test('an id from before a restart, or an invalid id, means a gap', () => {
  const clock = new ManualClock()
  const before = new LiveTail(clock, new SignalsOfOne().activity)
  const after = new LiveTail(clock, new SignalsOfOne().activity)
  for (const lastId of [before.idOf(7), 'nonsense', '', after.idOf(99), `${after.run}-0.5`]) {
    using cursor = after.read({}, lastId)
    expect([lastId, namesOf(cursor)]).toEqual([lastId, ['gap']])
  }
})

test('keeps activities for five minutes after the last reader left, then has a gap', () => {
  const clock = new ManualClock()
  const tail = new LiveTail(clock, new SignalsOfOne().activity)
  const appended = events(3)
  const first = tail.read({})
  tail.received([appended[0]!])
  const lastId = first.read(1)[0]!.id
  first[Symbol.dispose]()
  clock.advance(5 * 60_000)
  tail.received([appended[1]!])
  const second = tail.read({}, lastId)
  expect(eventIds(second.read(9))).toEqual([appended[1]!.id])
  second[Symbol.dispose]()
  clock.advance(5 * 60_000 + 1)
  tail.received([appended[2]!])
  using third = tail.read({}, second.lastId)
  expect(namesOf(third)).toEqual(['gap'])
})

test('a reader that was overtaken receives how many it missed', () => {
  const tail = new LiveTail(new ManualClock(), new SignalsOfOne().activity, { size: 100 })
  using cursor = tail.read({})
  tail.received(events(1))
  cursor.read(1)
  tail.received(events(250))
  expect(cursor.read(2)[0]).toMatchObject({
    name: 'gap',
    data: { reason: 'reader_too_slow', missed: 150 },
  })
})

test('filters by kind, source, destination, type, name and user', () => {
  const tail = new LiveTail(new ManualClock(), new SignalsOfOne().activity)
  const mine = acceptedEvent({ userId: 'u1', event: 'Order Completed', sourceId: 'src_a' })
  const other = acceptedEvent({ type: 'page', event: 'Home', userId: 'u2', sourceId: 'src_b' })
  const received = (filter: Parameters<LiveTail['read']>[0]): string[] => {
    using cursor = tail.read(filter)
    tail.received([mine, other])
    for (const event of [mine, other]) {
      tail.decided({ event, destinationId: 'dst_a', decision: 'deliver' })
      tail.decided({ event, destinationId: 'dst_b', decision: 'integrations' })
      tail.recorded(failedOnce(event, 'dst_a'))
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

test('a purge removes all activities about events of the user in the purged sources', () => {
  const tail = new LiveTail(new ManualClock(), new SignalsOfOne().activity)
  const long = 'u'.repeat(300)
  using first = tail.read({})
  const [mine, elsewhere, other] = [
    acceptedEvent({ userId: long, sourceId: 'src_a' }),
    acceptedEvent({ userId: long, sourceId: 'src_b' }),
    acceptedEvent({ userId: 'u2', sourceId: 'src_a' }),
  ]
  const start = first.lastId
  tail.received([mine, elsewhere, other])
  for (const event of [mine, other]) {
    tail.decided({ event, destinationId: 'dst_a', decision: 'deliver' })
    tail.recorded(failedOnce(event, 'dst_a'))
  }
  tail.purged({ anonymousIds: [], userIds: [long], sourceIds: ['src_a'] })
  using again = tail.read({}, start)
  for (const cursor of [first, again])
    expect(eventIds(cursor.read(100))).toEqual([elsewhere.id, other.id, other.id, other.id])
  tail.purged({ anonymousIds: [], userIds: [long, 'u2'], sourceIds: null })
  using third = tail.read({}, start)
  expect(third.read(100)).toEqual([])
})

test('a purge of an anonymousId removes what has it, whatever its userId', () => {
  const tail = new LiveTail(new ManualClock(), new SignalsOfOne().activity)
  using cursor = tail.read({})
  const [mine, other] = [acceptedEvent({ anonymousId: 'a1' }), acceptedEvent({ userId: 'a1' })]
  tail.received([mine, other])
  tail.purged({ userIds: [], anonymousIds: ['a1'], sourceIds: null })
  expect(eventIds(cursor.read(9))).toEqual([other.id])
})

test('a purge of some sources removes the computed events of the user, too', () => {
  const tail = new LiveTail(new ManualClock(), new SignalsOfOne().activity)
  using cursor = tail.read({})
  const [mine, other] = [computedEvent(), computedEvent(['dst_a'], { userId: 'u2' })]
  tail.received([mine, other])
  tail.purged({ anonymousIds: [], userIds: ['u1'], sourceIds: ['src_a'] })
  expect(cursor.read(9)).toMatchObject([
    { data: { eventId: other.id, sourceId: 'aud_a', computed: true } },
  ])
})

test('a computed event shows who entered or left which audience', () => {
  const tail = new LiveTail(new ManualClock(), new SignalsOfOne().activity)
  using cursor = tail.read({ event: 'big_spenders' })
  const entered = parsed(computedEvent())
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
  tail.received([entered, left, ofTrait, acceptedEvent({ event: 'big_spenders' })])
  expect(cursor.read(9).map(({ data }) => data)).toMatchObject([
    { name: 'big_spenders', change: 'entered' },
    { name: 'big_spenders', change: 'left' },
    { name: 'big_spenders', change: 'changed' },
    { name: 'big_spenders', change: null },
  ])
})
