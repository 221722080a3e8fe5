import { describe, expect, onTestFinished, test } from 'vitest'
import type { LiveCursor, LiveMessage } from '../../../src/activity/live-cursor.ts'
import { LiveTail } from '../../../src/activity/live-tail.ts'
import { LiveTopics, type Topic } from '../../../src/activity/live-topics.ts'
import type { LiveReader } from '../../../src/activity/live-reader.ts'
import type { Backend } from '../../../src/backend/backend.ts'
import { systemClock } from '../../../src/util/time/clock.ts'
import { acceptedEvent } from '@hookline/testing/records/accepted-event'
import { clusterIsMissing } from '@hookline/testing/cluster/cluster-servers'
import { failedOnce } from '@hookline/testing/records/failed-once'
import { openNodes } from './open-nodes.ts'

function tailOf({ signals }: Backend, size = 20_000): LiveTail {
  const tail = new LiveTail(systemClock, signals.activity, { size })
  onTestFinished(() => tail[Symbol.dispose]())
  return tail
}

async function openReader(
  tail: LiveTail,
  lastId?: string,
  filter: Parameters<LiveTail['read']>[0] = {},
): Promise<LiveCursor> {
  await tail.ready(lastId)
  return tail.read(filter, lastId)
}

const textOf = ({ name, data }: LiveMessage): string =>
  'eventId' in data ? `${name} ${data.eventId}` : name

/** Reads until so many messages have come. */
async function readAll(cursor: LiveCursor, count: number): Promise<LiveMessage[]> {
  const read: LiveMessage[] = []
  await expect
    .poll(() => {
      read.push(...cursor.read(1_000))
      return read.length
    })
    .toBeGreaterThanOrEqual(count)
  return read
}

describe.skipIf(clusterIsMissing() !== undefined)('the live tail of several nodes', () => {
  test('shows what any node does, and knows the events of others for its filters', async () => {
    await using opened = await openNodes(2)
    const [a, b] = opened.nodes.map((node) => tailOf(node))
    using onA = await openReader(a!)
    using ofUser = await openReader(a!, undefined, { userId: 'u1' })
    const [mine, other] = [acceptedEvent({ userId: 'u1' }), acceptedEvent({ userId: 'u2' })]
    await expect.poll(() => opened.nodes[1]!.signals.activity.isFollowed).toBe(true)
    for (const event of [mine, other]) {
      b!.received([event])
      b!.decided({ event, destinationId: 'dst_a', decision: 'deliver' })
      b!.recorded(failedOnce(event, 'dst_a'))
    }
    const all = (id: string): string[] => [`event ${id}`, `decision ${id}`, `attempt ${id}`]
    expect((await readAll(onA, 6)).map(textOf)).toEqual([...all(mine.id), ...all(other.id)])
    expect(ofUser.read(9).map(textOf)).toEqual(all(mine.id))
  })

  test('a reader that goes on at other nodes, again and again, misses nothing and sees nothing twice', async () => {
    await using opened = await openNodes(3)
    const tails = opened.nodes.map((node) => tailOf(node))
    using keeper = await openReader(tails[0]!)
    await expect
      .poll(() => opened.nodes.every(({ signals }) => signals.activity.isFollowed))
      .toBe(true)
    let lastId = keeper.lastId
    const seen: string[] = []
    const sent: string[] = []
    for (let round = 0; round < 12; round++) {
      for (const tail of tails) {
        const events = Array.from({ length: 7 }, () => acceptedEvent())
        tail.received(events)
        sent.push(...events.map(({ id }) => `event ${id}`))
      }
      using reader = await openReader(tails[round % 3]!, lastId)
      // It is cut off in the middle.
      const read = reader.read(1 + (round % 5))
      seen.push(...read.map(textOf))
      lastId = read.at(-1)?.id ?? lastId
    }
    using last = await openReader(tails[1]!, lastId)
    const rest = await readAll(last, sent.length - seen.length)
    seen.push(...rest.map(textOf))
    expect(seen.toSorted()).toEqual(sent.toSorted())
    expect(new Set(seen).size).toBe(sent.length)
  })

  test('a reader goes on at another node after its own has died', async () => {
    await using opened = await openNodes(3)
    const [a, b, c] = opened.nodes.map((node) => tailOf(node))
    const onA = await openReader(a!)
    await expect.poll(() => opened.nodes[2]!.signals.activity.isFollowed).toBe(true)
    const [first, second] = [acceptedEvent(), acceptedEvent()]
    c!.received([first])
    const [read] = await readAll(onA, 1)
    onA[Symbol.dispose]()
    a![Symbol.dispose]()
    using keeper = await openReader(b!, read!.id)
    c!.received([second])
    expect((await readAll(keeper, 1)).map(textOf)).toEqual([`event ${second.id}`])
  })

  test('a deletion on one node removes the user from the live tail of all, also for readers to come', async () => {
    await using opened = await openNodes(2)
    const [a, b] = opened.nodes.map((node) => tailOf(node))
    using onA = await openReader(a!)
    await expect.poll(() => opened.nodes[1]!.signals.activity.isFollowed).toBe(true)
    const start = onA.lastId
    const event = acceptedEvent({ userId: 'u1' })
    b!.received([event])
    await expect.poll(() => a!.next).toBe(2)
    const purge = { userIds: ['u1'], anonymousIds: [], sourceIds: null }
    a!.purged(purge)
    await opened.nodes[0]!.signals.activity.forget()
    expect(onA.read(9)).toEqual([])
    using late = await openReader(b!, start)
    expect(late.read(9).map(textOf)).toEqual(['gap'])
  })

  test('a reader that was away for longer than is kept has a gap', async () => {
    await using opened = await openNodes(2)
    const [a, b] = opened.nodes.map((node) => tailOf(node, 10))
    const onA = await openReader(a!)
    const { lastId } = onA
    await expect.poll(() => opened.nodes[1]!.signals.activity.isFollowed).toBe(true)
    b!.received(Array.from({ length: 30 }, () => acceptedEvent()))
    await expect.poll(() => a!.next).toBe(31)
    using late = await openReader(b!, lastId)
    const [gap, ...rest] = late.read(100).filter(({ name }) => name !== 'sampling')
    expect(gap).toMatchObject({ name: 'gap', data: { reason: 'too_long_ago' } })
    expect(rest.length).toBeLessThanOrEqual(10)
  })
})

const ALL = { isShown: () => true, showsRequests: true }

function topicsOf({ signals }: Backend, pending = 0): LiveTopics {
  const waiting = [{ destinationId: 'dst_a', state: 'pending' as const, count: pending }]
  const backlog = async () => ({ waiting, oldestPendingAt: undefined, quarantined: 0 })
  const live = new LiveTopics(systemClock, { backlog }, signals)
  onTestFinished(() => live.tail[Symbol.dispose]())
  return live
}

const read = (live: LiveTopics, topics: readonly Topic[], lastId?: string): LiveReader =>
  live.read({ topics: new Set(topics), filter: {}, view: ALL, lastId })

describe.skipIf(clusterIsMissing() !== undefined)('counts and changes of several nodes', () => {
  test('the counts of each second are those of all nodes, and nobody counts without readers', async () => {
    await using opened = await openNodes(2)
    const [a, b] = [topicsOf(opened.nodes[0]!, 3), topicsOf(opened.nodes[1]!)]
    const reader = read(a, ['counts'])
    let sent = 0
    let [received, refused] = [0, 0]
    const countsOf = (): number => {
      a.counts.received([acceptedEvent()])
      b.counts.received([acceptedEvent(), acceptedEvent()])
      sent += 1
      for (const { data } of reader.read(99))
        if ('received' in data) {
          received += data.received
          refused += data.refused
          expect(data.pending).toBe(3)
        }
      return received
    }
    // Each look adds one here and two there.
    await expect.poll(countsOf, { interval: 100 }).toBeGreaterThan(40)
    expect(received).toBeGreaterThan(sent)
    expect(refused).toBe(0)
    reader[Symbol.dispose]()
    expect(b.counts.seconds.next).toBe(1)
  })

  test('what a request changes on one node is told on all, and what all nodes see is told once', async () => {
    await using opened = await openNodes(2)
    const [a, b] = opened.nodes.map((node) => topicsOf(node))
    const [onA, onB] = [read(a!, ['changes']), read(b!, ['changes'])]
    const request = { resource: 'destinations', id: 'dst_a', action: 'change', actorId: 'tok_a' }
    a!.changes.requested(request)
    a!.changes.updated({ resource: 'replays', id: 'rpl_a' })
    for (const { changes } of [a!, b!])
      changes.updated({ resource: 'sources', id: 'src_a' }, { isKnown: true })
    const told: Record<string, string[]> = { a: [], b: [] }
    const readBoth = (): string[] => {
      for (const [name, reader] of Object.entries({ a: onA, b: onB }))
        for (const { data } of reader.read(99))
          if ('resource' in data) told[name]!.push(`${data.resource} ${data.id}`)
      return Object.values(told).flat()
    }
    await expect.poll(readBoth).toHaveLength(6)
    const expected = ['destinations dst_a', 'replays rpl_a', 'sources src_a']
    expect(told['a']!.toSorted()).toEqual(expected)
    expect(told['b']!.toSorted()).toEqual(expected)
  })

  test('a reader of changes that goes on at another node reads everything again', async () => {
    await using opened = await openNodes(2)
    const [a, b] = opened.nodes.map((node) => topicsOf(node))
    const { lastId } = read(a!, ['changes'])
    const again = read(a!, ['changes'], lastId)
    expect(again.read(9)).toEqual([])
    const elsewhere = read(b!, ['changes'], lastId)
    expect(elsewhere.read(9)).toMatchObject([
      { name: 'change', data: { resource: null, id: null } },
    ])
  })
})
