import { connect } from '@nats-io/transport-node'
import { describe, expect, test } from 'vitest'
import type { Backend } from '../../../src/backend/backend.ts'
import { Redacted } from '../../../src/util/secrets/redacted.ts'
import { clusterSkipReason, newClusterNamespace } from '@hookline/testing/cluster/cluster-servers'
import { NatsServer } from '@hookline/testing/cluster/nats-server'
import { signalsConformance } from '../conformance/signals.ts'
import { openClusterHarness } from './open-cluster-harness.ts'
import { openNodes, untilConnected } from './open-nodes.ts'

describe.skipIf(clusterSkipReason() !== undefined)('on PostgreSQL and NATS', () => {
  signalsConformance(openClusterHarness)
})

function receivedBy({ signals }: Backend): unknown[] {
  const received: unknown[] = []
  signals.onMessage('changes', (message) => received.push(message))
  return received
}

describe.skipIf(clusterSkipReason() !== undefined)('among several nodes', () => {
  test('a signal from one node reaches all others, but not itself', async () => {
    await using opened = await openNodes(3)
    const received = opened.nodes.map(receivedBy)
    opened.nodes[0]!.signals.publish('changes', { id: 'dst_ä' })
    for (const each of received.slice(1)) await expect.poll(() => each).toEqual([{ id: 'dst_ä' }])
    expect(received[0]).toEqual([])
  })

  test('a message above the NATS limit arrives in full, and one above 8 MiB is dropped', async () => {
    await using opened = await openNodes(2)
    const [a, b] = opened.nodes
    const received = receivedBy(b!)
    const large = { text: 'x'.repeat(3 * 1024 * 1024) }
    a!.signals.publish('changes', { text: 'x'.repeat(12 * 1024 * 1024) })
    a!.signals.publish('changes', large)
    await expect.poll(() => received).toHaveLength(1)
    expect(received[0]).toEqual(large)
  })

  test('a request collects the responses from all other nodes, and does not wait long for one that does not respond', async () => {
    await using opened = await openNodes(3)
    await untilConnected(opened.nodes)
    const [a, b, c] = opened.nodes
    b!.signals.onRequest('attempts', async (question) => ({ from: 'b', question }))
    c!.signals.onRequest('attempts', async () => ({ from: 'c' }))
    // On a busy machine, a response may arrive too late.
    await expect
      .poll(async () => new Set(await a!.signals.request('attempts', { destinationId: 'dst_a' })))
      .toEqual(new Set([{ from: 'b', question: { destinationId: 'dst_a' } }, { from: 'c' }]))
    // Node `c` is alive, but its handler fails.
    c!.signals.onRequest('lanes', () => Promise.reject(new Error('broken')))
    b!.signals.onRequest('lanes', async () => ({ from: 'b' }))
    await expect.poll(() => a!.signals.request('lanes', {})).toEqual([{ from: 'b' }])
  })

  test('only messages encrypted by a node of the service are received', async () => {
    await using opened = await openNodes(2)
    const [a, b] = opened.nodes
    const { natsUrl, natsPrefix } = opened.harness.options
    const received = receivedBy(b!)
    const stranger = await connect({ servers: natsUrl.reveal() })
    const forged = JSON.stringify({ from: 'x', topic: 'changes', body: {} })
    for (const payload of ['', 'nonsense', `0 0 1\n${forged}`, `0 0 1\n0123456789abcdef.AAAA`])
      stranger.publish(`${natsPrefix}.signals`, payload)
    await stranger.flush()
    a!.signals.publish('changes', { id: 'dst_a' })
    await expect.poll(() => received).toEqual([{ id: 'dst_a' }])
    await stranger.close()
  })

  test('nodes, including later ones, are notified when others start and stop reading', async () => {
    await using opened = await openNodes(2)
    const [a, b] = opened.nodes
    const readOn = (node: Backend): boolean[] => {
      const received: boolean[] = []
      node.signals.onRead('counts', (isRead) => received.push(isRead))
      return received
    }
    const early = readOn(a!)
    const [first, second] = [b!.signals.read('counts'), b!.signals.read('counts')]
    await expect.poll(() => early).toEqual([true])
    const late = readOn(await opened.add())
    await expect.poll(() => late).toEqual([true])
    first[Symbol.dispose]()
    second[Symbol.dispose]()
    await expect.poll(() => early).toEqual([true, false])
    await expect.poll(() => late).toEqual([true, false])
  })

  test('after connections break, nodes are notified that messages to and from them may be missing', async () => {
    await using nats = await NatsServer.start()
    await using place = await newClusterNamespace()
    await using opened = await openNodes(0)
    const databaseUrl = new Redacted(place.databaseUrl)
    const changes = { natsUrl: new Redacted(nats.url), databaseUrl }
    let missed = 0
    for (const node of [await opened.add(changes), await opened.add(changes)])
      node.signals.onMissed(() => (missed += 1))
    await nats.server.kill()
    await nats.server.start()
    // Once for each node's own outage, and once more on the node that was back first.
    await expect.poll(() => missed).toBeGreaterThanOrEqual(3)
  })

  test('signals on a topic with readers reach only the readers', async () => {
    await using opened = await openNodes(3)
    const [a, b, c] = opened.nodes
    const received = opened.nodes.map(({ signals }) => {
      const messages: unknown[] = []
      signals.onMessage('counts', (message) => messages.push(message))
      return messages
    })
    using _first = b!.signals.read('counts')
    using _second = b!.signals.read('counts')
    let isRead = false
    a!.signals.onRead('counts', (now) => (isRead = now))
    await expect.poll(() => isRead).toBe(true)
    a!.signals.publish('counts', { received: 1 })
    const others = receivedBy(c!)
    a!.signals.publish('changes', {})
    await expect.poll(() => others).toHaveLength(1)
    await expect.poll(() => received).toEqual([[], [{ received: 1 }], []])
  })

  test('nodes without readers publish nothing', async () => {
    await using opened = await openNodes(2)
    const { natsUrl, natsPrefix } = opened.harness.options
    const listener = await connect({ servers: natsUrl.reveal() })
    const subjects: string[] = []
    listener.subscribe(`${natsPrefix}.>`, {
      callback: (_error, { subject }) => void subjects.push(subject),
    })
    await listener.flush()
    const [a, b] = opened.nodes
    const beforeBeats = await seenAtOf(b!)
    // Some heartbeats later.
    await expect.poll(() => seenAtOf(b!)).toBeGreaterThan(beforeBeats + 300)
    expect(subjects).toEqual([])
    a!.signals.publish('changes', {})
    await expect.poll(() => subjects).toEqual([`${natsPrefix}.signals`])
    await listener.close()
  })
})

async function seenAtOf({ nodes }: Backend): Promise<number> {
  return nodes.current.find(({ id }) => id === nodes.id)!.seenAt
}
