import { connect } from '@nats-io/transport-node'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { ActivityFilter } from '../../../src/activity/activity.ts'
import type { LiveReader, StreamMessage } from '../../../src/activity/live-reader.ts'
import { LiveTopics, type Topic } from '../../../src/activity/live-topics.ts'
import type { Backend } from '../../../src/backend/backend.ts'
import { Redacted } from '../../../src/util/secrets/redacted.ts'
import { systemClock } from '../../../src/util/time/clock.ts'
import { clusterSkipReason, newClusterNamespace } from '@hookline/testing/cluster/cluster-servers'
import { NatsServer } from '@hookline/testing/cluster/nats-server'
import { acceptedEvent } from '@hookline/testing/records/accepted-event'
import { failedOnce } from '@hookline/testing/records/failed-once'
import { openNodes } from './open-nodes.ts'

function topicsOf({ signals }: Backend, pending = 0): LiveTopics {
  const waiting = [{ destinationId: 'dst_a', state: 'pending' as const, count: pending }]
  const backlog = async () => ({ waiting, oldestPendingAt: undefined, quarantined: 0 })
  const live = new LiveTopics(systemClock, { backlog }, signals)
  onTestFinished(() => live.tail[Symbol.dispose]())
  return live
}

function read(
  live: LiveTopics,
  topics: readonly Topic[],
  { filter = {}, lastId }: { readonly filter?: ActivityFilter; readonly lastId?: string } = {},
): LiveReader {
  const view = { isShown: () => true, showsRequests: true }
  const reader = live.read({ topics: new Set(topics), filter, view, lastId })
  onTestFinished(() => reader[Symbol.dispose]())
  return reader
}

const textOf = ({ name, data }: StreamMessage): string =>
  'eventId' in data ? `${name} ${data.eventId}` : name

/** Reads until at least `count` messages have arrived. */
async function readAll(reader: LiveReader, count: number): Promise<StreamMessage[]> {
  const messages: StreamMessage[] = []
  await expect
    .poll(() => {
      messages.push(...reader.read(1_000))
      return messages.length
    })
    .toBeGreaterThanOrEqual(count)
  return messages
}

/** Resolves when the node has been notified that other nodes read the activity. */
async function readOnOtherNodes({ signals }: Backend): Promise<void> {
  let isNow = false
  const stop = signals.onRead('activity', (isRead) => (isNow = isRead))
  await expect.poll(() => isNow).toBe(true)
  stop()
}

describe.skipIf(clusterSkipReason() !== undefined)('in the live tail of several nodes', () => {
  test('a reader sees the activity on all nodes, and can filter it by events from other nodes', async () => {
    await using opened = await openNodes(2)
    const [a, b] = opened.nodes.map((node) => topicsOf(node))
    const [onA, ofUser] = [
      read(a!, ['activity']),
      read(a!, ['activity'], { filter: { userId: 'u1' } }),
    ]
    await readOnOtherNodes(opened.nodes[1]!)
    const [mine, other] = [acceptedEvent({ userId: 'u1' }), acceptedEvent({ userId: 'u2' })]
    for (const event of [mine, other]) {
      b!.tail.received([event])
      b!.tail.decided({ event, destinationId: 'dst_a', decision: 'deliver' })
      b!.tail.recorded(failedOnce(event, 'dst_a'))
    }
    const all = (id: string): string[] => [`event ${id}`, `decision ${id}`, `attempt ${id}`]
    expect((await readAll(onA, 6)).map(textOf)).toEqual([...all(mine.id), ...all(other.id)])
    expect(ofUser.read(9).map(textOf)).toEqual(all(mine.id))
  })

  test('an event processed by several nodes is shown once, before its decision', async () => {
    await using opened = await openNodes(3)
    const [a, b, c] = opened.nodes.map((node) => topicsOf(node))
    const onA = read(a!, ['activity'])
    for (const node of opened.nodes.slice(1)) await readOnOtherNodes(node)
    const event = acceptedEvent()
    b!.tail.received([event])
    a!.tail.decided({ event, destinationId: 'dst_a', decision: 'deliver' })
    c!.tail.recorded(failedOnce(event, 'dst_a'))
    const messages = await readAll(onA, 3)
    expect(messages.map(({ name }) => name).toSorted()).toEqual(['attempt', 'decision', 'event'])
    expect(messages[0]!.name).toBe('event')
  })

  test('a reader that reconnects to the same node misses nothing, and gets a gap at another node', async () => {
    await using opened = await openNodes(2)
    const [a, b] = opened.nodes.map((node) => topicsOf(node))
    const first = read(a!, ['activity'])
    await readOnOtherNodes(opened.nodes[1]!)
    const { lastId } = first
    first[Symbol.dispose]()
    const events = Array.from({ length: 30 }, () => acceptedEvent())
    b!.tail.received(events)
    const again = read(a!, ['activity'], { lastId: lastId! })
    expect((await readAll(again, 30)).map(textOf)).toEqual(events.map(({ id }) => `event ${id}`))
    const otherNodeReader = read(b!, ['activity'], { lastId: again.lastId! })
    expect(otherNodeReader.read(9)).toMatchObject([
      { name: 'gap', data: { reason: 'too_long_ago', missed: null } },
    ])
    await readOnOtherNodes(opened.nodes[0]!)
    const event = acceptedEvent()
    a!.tail.received([event])
    expect((await readAll(otherNodeReader, 1)).map(textOf)).toEqual([`event ${event.id}`])
  })

  test('a deletion on one node removes the user from the live tail of all', async () => {
    await using opened = await openNodes(2)
    const [a, b] = opened.nodes.map((node) => topicsOf(node))
    const onA = read(a!, ['activity'])
    await readOnOtherNodes(opened.nodes[1]!)
    const purge = { userIds: ['u1'], anonymousIds: [], sourceIds: null }
    b!.tail.received([acceptedEvent({ userId: 'u1' })])
    await expect.poll(() => a!.tail.items.next).toBe(2)
    a!.tail.purged(purge)
    // Still in transit from the other node.
    const other = acceptedEvent({ userId: 'u2' })
    b!.tail.received([acceptedEvent({ userId: 'u1' }), other])
    b!.tail.purged(purge)
    expect((await readAll(onA, 1)).map(textOf)).toEqual([`event ${other.id}`])
  })

  test('activity beyond 4 MiB per second of a node becomes a gap with the number of missed items', async () => {
    await using opened = await openNodes(2)
    const [a, b] = opened.nodes.map((node) => topicsOf(node))
    const onA = read(a!, ['activity'])
    await readOnOtherNodes(opened.nodes[1]!)
    const long = 'x'.repeat(200)
    const fields = { userId: long, anonymousId: long, event: long }
    // About 5,000 of these fit.
    const events = Array.from({ length: 18_000 }, () => acceptedEvent(fields))
    b!.tail.received(events)
    let [shown, missed] = [0, 0]
    const counted = (): number => {
      for (const { name, data } of onA.read(1_000)) {
        if (name === 'event') shown += 1
        if ('missed' in data) expect(data.reason).toBe('lost')
        if ('missed' in data) missed += data.missed ?? NaN
      }
      return shown + missed
    }
    await expect.poll(counted, { timeout: 10_000 }).toBe(events.length)
    expect(shown).toBeGreaterThan(4_000)
    expect(missed).toBeGreaterThan(1_000)
  })

  test('a NATS outage causes a gap, and then the tail continues', async () => {
    await using nats = await NatsServer.start()
    await using place = await newClusterNamespace()
    await using opened = await openNodes(0)
    const databaseUrl = new Redacted(place.databaseUrl)
    const changes = { natsUrl: new Redacted(nats.url), databaseUrl }
    const nodes = [await opened.add(changes), await opened.add(changes)]
    const [a, b] = nodes.map((node) => topicsOf(node))
    const onA = read(a!, ['activity'])
    await readOnOtherNodes(nodes[1]!)
    await nats.server.kill()
    b!.tail.received([acceptedEvent()])
    await nats.server.start()
    const names = new Set<string>()
    await expect
      .poll(() => {
        b!.tail.received([acceptedEvent()])
        for (const { name } of onA.read(9)) names.add(name)
        return [...names].toSorted()
      })
      .toEqual(['event', 'gap'])
  })

  test('only nodes with readers receive activity, and it is encrypted in NATS', async () => {
    await using opened = await openNodes(2)
    const [a, b] = opened.nodes.map((node) => topicsOf(node))
    const { natsUrl, natsPrefix } = opened.harness.options
    const listener = await connect({ servers: natsUrl.reveal() })
    const payloads: string[] = []
    listener.subscribe(`${natsPrefix}.signals.activity`, {
      callback: (_error, message) => void payloads.push(message.string()),
    })
    await listener.flush()
    b!.tail.received([acceptedEvent({ userId: 'someone' })])
    const onA = read(a!, ['activity'])
    await readOnOtherNodes(opened.nodes[1]!)
    expect(payloads).toEqual([])
    b!.tail.received([acceptedEvent({ userId: 'someone' })])
    await readAll(onA, 1)
    await expect.poll(() => payloads).toHaveLength(1)
    expect(payloads[0]).not.toContain('someone')
    expect(b!.tail.items.next).toBe(1)
    await listener.close()
  })
})

describe.skipIf(clusterSkipReason() !== undefined)('with several nodes', () => {
  test('the counts per second include all nodes, and nothing is counted without readers', async () => {
    await using opened = await openNodes(2)
    const [a, b] = [topicsOf(opened.nodes[0]!, 3), topicsOf(opened.nodes[1]!)]
    const reader = read(a, ['counts'])
    let sent = 0
    let [received, rejected] = [0, 0]
    const countsOf = (): number => {
      a.counts.received([acceptedEvent()])
      b.counts.received([acceptedEvent(), acceptedEvent()])
      sent += 1
      for (const { data } of reader.read(99))
        if ('received' in data) {
          received += data.received
          rejected += data.rejected
          expect(data.pending).toBe(3)
        }
      return received
    }
    // Each poll adds one event on a and two on b.
    await expect.poll(countsOf, { interval: 100 }).toBeGreaterThan(40)
    expect(received).toBeGreaterThan(sent)
    expect(rejected).toBe(0)
    reader[Symbol.dispose]()
    expect(b.counts.seconds.next).toBe(1)
  })

  test('a change by a request is published on all nodes, and a change that all nodes see is published only once on each', async () => {
    await using opened = await openNodes(2)
    const [a, b] = opened.nodes.map((node) => topicsOf(node))
    const [onA, onB] = [read(a!, ['changes']), read(b!, ['changes'])]
    const request = { resource: 'destinations', id: 'dst_a', action: 'change', actorId: 'tok_a' }
    a!.changes.requested(request)
    a!.changes.updated({ resource: 'replays', id: 'rpl_a' })
    for (const { changes } of [a!, b!])
      changes.updated({ resource: 'sources', id: 'src_a' }, { isLocal: true })
    const published: Record<string, string[]> = { a: [], b: [] }
    const readBoth = (): string[] => {
      for (const [name, reader] of Object.entries({ a: onA, b: onB }))
        for (const { data } of reader.read(99))
          if ('resource' in data) published[name]!.push(`${data.resource} ${data.id}`)
      return Object.values(published).flat()
    }
    await expect.poll(readBoth).toHaveLength(6)
    const expected = ['destinations dst_a', 'replays rpl_a', 'sources src_a']
    expect(published['a']!.toSorted()).toEqual(expected)
    expect(published['b']!.toSorted()).toEqual(expected)
  })

  test('a reader of changes that continues at another node starts over', async () => {
    await using opened = await openNodes(2)
    const [a, b] = opened.nodes.map((node) => topicsOf(node))
    const { lastId } = read(a!, ['changes'])
    const again = read(a!, ['changes'], { lastId: lastId! })
    expect(again.read(9)).toEqual([])
    const otherNodeReader = read(b!, ['changes'], { lastId: lastId! })
    expect(otherNodeReader.read(9)).toMatchObject([
      { name: 'change', data: { resource: null, id: null } },
    ])
  })
})
