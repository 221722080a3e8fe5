import type { AcceptedEvent } from '@hookline/protocol'
import { expect, test } from 'vitest'
import type { LiveCursor, LiveMessage } from '../../src/activity/live-cursor.ts'
import { LiveTail } from '../../src/activity/live-tail.ts'
import { SignalsOfOne } from '../../src/backend/embedded/signals-of-one.ts'
import { acceptedEvent } from '@hookline/testing/records/accepted-event'
import { failedOnce } from '@hookline/testing/records/failed-once'
import { ManualClock } from '@hookline/testing/clocks/manual-clock'

const SIZE = 1_000

function events(count: number): AcceptedEvent[] {
  return Array.from({ length: count }, () => acceptedEvent())
}

/** What follows the arrival of an event: a decision and an attempt. */
function goOn(tail: LiveTail, those: readonly AcceptedEvent[]): void {
  for (const event of those) {
    tail.decided({ event, destinationId: 'dst_a', decision: 'deliver' })
    tail.recorded(failedOnce(event, 'dst_a'))
  }
}

/** As a connection reads: until there is nothing more. */
function readAll(cursor: LiveCursor, most = 100): LiveMessage[] {
  const messages: LiveMessage[] = []
  for (let batch = cursor.read(most); batch.length > 0; batch = cursor.read(most))
    messages.push(...batch)
  return messages
}

const samplings = (messages: readonly LiveMessage[]) =>
  messages.flatMap(({ data }) => ('oneOf' in data ? [data] : []))

const leftOut = (messages: readonly LiveMessage[]): number =>
  samplings(messages).reduce((sum, each) => sum + each.leftOut, 0)

const namesById = (messages: readonly LiveMessage[]): Map<string, string[]> => {
  const about = messages.filter(({ data }) => 'eventId' in data)
  const groups = Map.groupBy(about, ({ data }) => ('eventId' in data ? data.eventId : ''))
  return new Map([...groups].map(([id, those]) => [id, those.map(({ name }) => name)]))
}

const arrived = (messages: readonly LiveMessage[]): string[] =>
  messages.flatMap(({ name, data }) =>
    name === 'event' && 'eventId' in data ? [data.eventId] : [],
  )

test('a reader that lags receives some events, and all of them once it has caught up', () => {
  const tail = new LiveTail(new ManualClock(), new SignalsOfOne().activity, { size: SIZE })
  using cursor = tail.read({})
  tail.received(events(800))
  const messages = cursor.read(SIZE)
  expect(messages[0]).toMatchObject({ name: 'sampling', data: { oneOf: 8, leftOut: 0 } })
  expect(messages.at(-1)).toMatchObject({ name: 'sampling', data: { oneOf: 1 } })
  const shown = arrived(messages).length
  expect(shown).toBeGreaterThan(40)
  expect(shown).toBeLessThan(200)
  expect(leftOut(messages)).toBe(800 - shown)
  tail.received(events(10))
  expect(readAll(cursor).map(({ name }) => name)).toEqual(Array(10).fill('event'))
})

test('all activities of an event are sent or left out together, whenever they happen', () => {
  const tail = new LiveTail(new ManualClock(), new SignalsOfOne().activity, { size: SIZE })
  using cursor = tail.read({})
  const [before, during, after] = [events(20), events(250), events(20)]
  tail.received(before)
  const messages = readAll(cursor)
  goOn(tail, before)
  tail.received(during)
  goOn(tail, during.slice(0, 200))
  messages.push(...readAll(cursor))
  // The reader has caught up. What it does not know of stays left out.
  tail.received(after)
  goOn(tail, [...during.slice(200), ...after])
  messages.push(...readAll(cursor))
  const names = namesById(messages)
  expect(new Set([...names.values()].map((each) => each.join(' ')))).toEqual(
    new Set(['event decision attempt']),
  )
  for (const { id } of [...before, ...after]) expect(names.has(id)).toBe(true)
  expect(samplings(messages).at(-1)).toMatchObject({ oneOf: 1 })
  expect(leftOut(messages)).toBe(290 - names.size)
  expect(names.size).toBeLessThan(150)
})

test('readers that lag receive the same events', () => {
  const tail = new LiveTail(new ManualClock(), new SignalsOfOne().activity, { size: SIZE })
  using first = tail.read({})
  using second = tail.read({ kind: 'event' })
  const burst = events(900)
  tail.received(burst)
  // A reader of small batches notices earlier that it has caught up.
  const sampled = new Set(burst.slice(0, 700).map(({ id }) => id))
  const those = (cursor: LiveCursor, most: number) =>
    arrived(readAll(cursor, most)).filter((id) => sampled.has(id))
  expect(those(first, 100)).toEqual(those(second, 7))
})

test('counts only events that the filter matches', () => {
  const tail = new LiveTail(new ManualClock(), new SignalsOfOne().activity, { size: SIZE })
  using cursor = tail.read({ sourceId: 'src_b' })
  const mine = Array.from({ length: 100 }, () => acceptedEvent({ sourceId: 'src_b' }))
  tail.received([...events(600), ...mine])
  const messages = readAll(cursor)
  expect(arrived(messages).length + leftOut(messages)).toBe(100)
})

test('a reader is told at once where everything was left out', () => {
  const tail = new LiveTail(new ManualClock(), new SignalsOfOne().activity, { size: SIZE })
  using cursor = tail.read({ userId: 'u2' })
  const rare = events(4).map((each) => ({ ...each, event: { ...each.event, userId: 'u2' } }))
  const hidden = rare.filter(({ id }) => !isShown(id))
  tail.received([...events(600), ...hidden])
  expect(samplings(cursor.read(100))).toMatchObject([
    { oneOf: 8 },
    { oneOf: 1, leftOut: hidden.length },
  ])
})

test('a reader that resumes after any message is told of every event, once', () => {
  const tail = new LiveTail(new ManualClock(), new SignalsOfOne().activity, { size: SIZE })
  const first = tail.read({})
  const lastId = first.lastId
  first[Symbol.dispose]()
  tail.received(events(900))
  using whole = tail.read({}, lastId)
  const messages = readAll(whole)
  for (const [index, { id }] of messages.entries()) {
    const known = messages.slice(0, index + 1)
    using cursor = tail.read({}, id)
    const rest = readAll(cursor)
    const all = [...known, ...rest]
    expect(arrived(all).length + leftOut(all)).toBe(900)
    expect(new Set(arrived(all)).size).toBe(arrived(all).length)
    if (index < messages.length - 1) expect(samplings(all).at(-1)).toMatchObject({ oneOf: 1 })
  }
})

test('a gap between two connections begins with every event again', () => {
  const tail = new LiveTail(new ManualClock(), new SignalsOfOne().activity, { size: SIZE })
  const first = tail.read({})
  tail.received(events(600))
  first.read(10)
  const { lastId } = first
  first[Symbol.dispose]()
  expect(lastId).toMatch(/~\d+$/)
  tail.received(events(SIZE))
  using cursor = tail.read({}, lastId)
  expect(cursor.read(5).slice(0, 2)).toMatchObject([
    { name: 'gap', data: { reason: 'too_long_ago' } },
    { name: 'sampling', data: { oneOf: 8, leftOut: 0 } },
  ])
})

/** Whether a reader that lags receives the event. */
function isShown(id: string): boolean {
  const tail = new LiveTail(new ManualClock(), new SignalsOfOne().activity, { size: 2 })
  using cursor = tail.read({})
  tail.received([acceptedEvent({ id: 'evt_1' }), acceptedEvent({ id })])
  return arrived(cursor.read(9)).includes(id)
}
