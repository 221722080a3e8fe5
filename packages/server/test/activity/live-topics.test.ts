import type { Attempt, Delivery } from '@hookline/protocol'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { ChangeView } from '../../src/activity/live-changes.ts'
import type { LiveReader, StreamMessage } from '../../src/activity/live-reader.ts'
import { LiveTopics, type Topic } from '../../src/activity/live-topics.ts'
import { NO_SIGNALS } from '../../src/backend/embedded/single-node.ts'
import type { Backlog } from '../../src/backend/upkeep.ts'
import { acceptedEvent } from '@hookline/testing/records/accepted-event'
import { computedEvent } from '@hookline/testing/records/computed-event'
import { ManualClock } from '@hookline/testing/clocks/manual-clock'

const ALL: ChangeView = { isShown: () => true, showsRequests: true }
const SECOND = 1_000

const PENDING_OF_TWO: Backlog['waiting'] = [
  { destinationId: 'dst_a', state: 'pending', count: 5 },
  { destinationId: 'dst_a', state: 'held', count: 100 },
  { destinationId: 'dst_b', state: 'pending', count: 2 },
]

function topicsAt(clock: ManualClock, waiting: Backlog['waiting'] = []): LiveTopics {
  const backlog = async () => ({ waiting, oldestPendingAt: undefined, quarantined: 0 })
  return new LiveTopics(clock, { backlog }, NO_SIGNALS)
}

const read = (live: LiveTopics, topics: Topic[], lastId?: string): LiveReader =>
  live.read({ topics: new Set(topics), filter: {}, view: ALL, lastId })

const textsOf = (messages: readonly StreamMessage[]): string[] =>
  messages.map(({ name, data }) =>
    'eventId' in data ? `event ${data.eventId}` : `${name} ${'id' in data ? data.id : ''}`,
  )

const change = (id: string) => ({
  resource: 'destinations',
  id,
  action: 'changeDestination',
  actorId: 'tok_a',
})

/** Advances the clock by a second, and waits for the counts of that second. */
async function second(clock: ManualClock): Promise<void> {
  clock.advance(SECOND)
  await clock.turn()
}

test('sends counts for every second, including seconds without activity', async () => {
  const clock = new ManualClock()
  const live = topicsAt(clock, PENDING_OF_TWO)
  using reader = read(live, ['counts'])
  const startedAt = clock.wall()
  const [event, other] = [acceptedEvent(), acceptedEvent()]
  live.counts.received([event, other, computedEvent()])
  live.counts.rejected('unknown_write_key', 3)
  live.counts.decided({ event, destinationId: 'dst_a', decision: 'deliver' })
  live.counts.decided({ event, destinationId: 'dst_b', decision: 'integrations' })
  live.counts.decided({ event: other, destinationId: null, decision: 'duplicate' })
  live.counts.recorded(recordOf('pending', ['retry', 'retry']))
  live.counts.recorded(recordOf('delivered', ['retry', 'delivered']))
  live.counts.recorded(recordOf('rejected', ['rejected']))
  live.counts.recorded(recordOf('declined', ['declined']))
  await second(clock)
  await second(clock)
  const nothing = { received: 0, rejected: 0, duplicates: 0, declined: 0 }
  const [first, quiet] = reader.read(9)
  expect(first).toEqual({
    id: undefined,
    name: 'counts',
    data: {
      at: startedAt,
      durationMs: SECOND,
      received: 2,
      rejected: 3,
      duplicates: 1,
      declined: 2,
      delivered: 1,
      retried: 3,
      failed: 1,
      pending: 7,
    },
  })
  expect(quiet).toMatchObject({ data: { at: startedAt + SECOND, ...nothing, delivered: 0 } })
  expect(reader.read(9)).toEqual([])
})

test('sends counts only to their readers, and counts nothing while there are none', async () => {
  const clock = new ManualClock()
  const live = topicsAt(clock)
  using others = read(live, ['activity', 'changes'])
  await second(clock)
  expect(live.counts.seconds.next).toBe(1)
  const reader = read(live, ['counts'])
  await second(clock)
  expect(reader.read(9)).toHaveLength(1)
  expect(others.read(9)).toEqual([])
  reader[Symbol.dispose]()
  await second(clock)
  expect(live.counts.seconds.next).toBe(2)
})

test('counts are sent without the number of pending deliveries while the database is unavailable', async () => {
  const clock = new ManualClock()
  const backlog = () => Promise.reject(new Error('disk full'))
  const live = new LiveTopics(clock, { backlog }, NO_SIGNALS)
  using reader = read(live, ['counts'])
  await second(clock)
  expect(reader.read(9)).toMatchObject([{ data: { received: 0, pending: null } }])
})

test('a slow reader receives only the counts for the last minute', async () => {
  const clock = new ManualClock()
  const live = topicsAt(clock)
  using reader = read(live, ['counts'])
  for (let count = 0; count < 70; count += 1) await second(clock)
  expect(reader.read(1)).toHaveLength(60)
})

test('readers of counts and changes alone store no activity', () => {
  const live = topicsAt(new ManualClock())
  using _reader = read(live, ['counts', 'changes'])
  live.tail.received([acceptedEvent()])
  expect(live.tail.items.next).toBe(1)
})

test('a change names the changed record, and its author only to permitted readers', () => {
  const clock = new ManualClock()
  const live = topicsAt(clock)
  using admin = read(live, ['changes'])
  const view = { isShown: (resource: string) => resource !== 'tokens', showsRequests: false }
  using viewer = live.read({ topics: new Set(['changes']), filter: {}, view })
  live.changes.requested(change('dst_a'))
  live.changes.requested({ ...change('tok_b'), resource: 'tokens' })
  const at = clock.wall()
  expect(admin.read(9).map(({ data }) => data)).toEqual([
    { at, ...change('dst_a') },
    { at, ...change('tok_b'), resource: 'tokens' },
  ])
  expect(viewer.read(9).map(({ data }) => data)).toEqual([
    { at, resource: 'destinations', id: 'dst_a' },
  ])
})

test('changes by Hookline are sent once a second, and not repeated after a request for the same record', () => {
  const clock = new ManualClock()
  const live = topicsAt(clock)
  using reader = read(live, ['changes'])
  for (let count = 0; count < 50; count += 1)
    live.changes.updated({ resource: 'replays', id: 'rpl_a' })
  live.changes.updated({ resource: 'destinations', id: 'dst_a' })
  live.changes.requested(change('dst_a'))
  expect(textsOf(reader.read(9))).toEqual(['change dst_a'])
  clock.advance(SECOND)
  expect(reader.read(9).map(({ data }) => data)).toEqual([
    { at: clock.wall(), resource: 'replays', id: 'rpl_a', action: null, actorId: null },
  ])
  live.changes.updated({ resource: 'replays', id: 'rpl_a' })
  clock.advance(SECOND)
  expect(textsOf(reader.read(9))).toEqual(['change rpl_a'])
})

test('beyond 100 changed records per second, one change represents the rest of their collection', () => {
  const clock = new ManualClock()
  const live = topicsAt(clock)
  using reader = read(live, ['changes'])
  for (let count = 0; count < 5_000; count += 1)
    live.changes.updated({ resource: 'destinations', id: `dst_${count}` })
  clock.advance(SECOND)
  const texts = textsOf(reader.read(1_000))
  expect(texts).toHaveLength(101)
  expect(texts.at(-1)).toBe('change null')
})

test('a resuming reader of activity and changes misses nothing and receives nothing twice', () => {
  const step = fc.record({ events: fc.nat(3), changes: fc.nat(3), max: fc.nat(4) })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      const live = topicsAt(new ManualClock())
      const expected: string[] = []
      const seen: string[] = []
      let { lastId } = read(live, ['activity', 'changes'])
      for (const { events, changes, max } of steps) {
        const appended = Array.from({ length: events }, () => acceptedEvent())
        live.tail.received(appended)
        expected.push(...appended.map(({ id }) => `event ${id}`))
        for (let count = 0; count < changes; count += 1) {
          const id = `dst_${expected.length}`
          live.changes.requested(change(id))
          expected.push(`change ${id}`)
        }
        using reader = read(live, ['activity', 'changes'], lastId)
        // The connection breaks after some of the messages.
        const messages = reader.read(9).slice(0, max)
        seen.push(...textsOf(messages))
        lastId = messages.at(-1)?.id ?? lastId
      }
      using reader = read(live, ['activity', 'changes'], lastId)
      seen.push(...textsOf(reader.read(1_000)))
      for (const kind of ['event', 'change']) {
        const of = (texts: string[]) => texts.filter((text) => text.startsWith(kind))
        expect(of(seen)).toEqual(of(expected))
      }
    }),
    { numRuns: 100 },
  )
})

test('a reader that switches topics continues those it had, and starts new ones at the present', () => {
  const live = topicsAt(new ManualClock())
  const lastIdOf = (topics: Topic[]): string | undefined => {
    using reader = read(live, topics)
    return reader.lastId
  }
  using _keeps = read(live, ['activity'])
  const [activity, changes, both, counts] = [
    lastIdOf(['activity']),
    lastIdOf(['changes', 'counts']),
    lastIdOf(['activity', 'changes']),
    lastIdOf(['counts']),
  ]
  const event = acceptedEvent()
  live.tail.received([event])
  live.changes.requested(change('dst_a'))
  const [eventText, changeText] = [`event ${event.id}`, 'change dst_a']
  const resumed = (topics: Topic[], lastId: string | undefined): string[] => {
    using reader = read(live, topics, lastId)
    return textsOf(reader.read(9))
  }
  expect(counts).toBeUndefined()
  expect([activity, changes, both]).toEqual([`${live.run}-0`, `${live.run}--0`, `${live.run}-0-0`])
  expect(resumed(['activity', 'changes'], activity)).toEqual([eventText])
  expect(resumed(['activity', 'changes'], changes)).toEqual([changeText])
  expect(resumed(['activity', 'changes'], both)).toEqual([changeText, eventText])
  expect(resumed(['activity'], both)).toEqual([eventText])
  expect(resumed(['changes', 'counts'], both)).toEqual([changeText])
})

test('a reader that missed changes is notified that anything may have changed', () => {
  const clock = new ManualClock()
  const live = topicsAt(clock)
  const { run } = live
  using early = read(live, ['changes'])
  for (let count = 0; count < 1_001; count += 1) live.changes.requested(change(`dst_${count}`))
  const anything = [{ at: clock.wall(), resource: null, id: null }]
  expect(early.read(9).map(({ data }) => data)).toEqual(anything)
  for (const lastId of [
    '0badcafe--3',
    '--3',
    `${run}--0`,
    `${run}--2000`,
    `${run}--x`,
    `${run}--1000.5`,
    'nonsense',
    '',
  ]) {
    using reader = read(live, ['changes'], lastId)
    expect([lastId, reader.read(9).map(({ data }) => data)]).toEqual([lastId, anything])
    expect(reader.read(9)).toEqual([])
  }
  using late = read(live, ['changes'], `${run}--1`)
  expect(late.read(2_000)).toHaveLength(1_000)
})

function recordOf(state: Delivery['state'], outcomes: readonly Attempt['outcome'][]) {
  const delivery: Delivery = {
    id: 'msg_1',
    eventId: 'evt_1',
    destinationId: 'dst_a',
    state,
    attemptCount: 1,
    firstDueAt: 0,
    dueAt: 1,
    webhooks: [],
  }
  const attempts = outcomes.map((outcome, index) => ({
    id: `att_${index}`,
    number: index + 1,
    url: 'https://a.example/',
    startedAt: 0,
    durationMs: 5,
    outcome,
    class: 'timeout' as const,
  }))
  return { delivery, attempts, isEnd: state !== 'pending' }
}
