import { connect } from '@nats-io/transport-node'
import { describe, expect, test } from 'vitest'
import type { Backend } from '../../../src/backend/backend.ts'
import { Redacted } from '../../../src/util/secrets/redacted.ts'
import { clusterIsMissing } from '@hookline/testing/cluster/cluster-servers'
import { NatsServer } from '@hookline/testing/cluster/nats-server'
import { HeardFeed, signalsConformance } from '../conformance/signals.ts'
import { openClusterHarness } from './open-cluster-harness.ts'
import { known, openNodes } from './open-nodes.ts'

describe.skipIf(clusterIsMissing() !== undefined)('on PostgreSQL and NATS', () => {
  signalsConformance(openClusterHarness)
})

function heardOf({ signals }: Backend): unknown[] {
  const heard: unknown[] = []
  signals.onTold('changes', (message) => heard.push(message))
  return heard
}

describe.skipIf(clusterIsMissing() !== undefined)('signals between nodes', () => {
  test('what one tells, all others hear, and it does not', async () => {
    await using opened = await openNodes(3)
    const heard = opened.nodes.map(heardOf)
    opened.nodes[0]!.signals.tell('changes', { id: 'dst_ä' })
    for (const each of heard.slice(1)) await expect.poll(() => each).toEqual([{ id: 'dst_ä' }])
    expect(heard[0]).toEqual([])
  })

  test('a message that is larger than NATS takes arrives whole, and one beyond 8 MiB not at all', async () => {
    await using opened = await openNodes(2)
    const [a, b] = opened.nodes
    const heard = heardOf(b!)
    const large = { text: 'x'.repeat(3 * 1024 * 1024) }
    a!.signals.tell('changes', { text: 'x'.repeat(12 * 1024 * 1024) })
    a!.signals.tell('changes', large)
    await expect.poll(() => heard).toHaveLength(1)
    expect(heard[0]).toEqual(large)
  })

  test('a question has the answers of all other nodes, and does not wait long for one that does not answer', async () => {
    await using opened = await openNodes(3)
    await known(opened.nodes)
    const [a, b, c] = opened.nodes
    b!.signals.onAsked('attempts', async (question) => ({ from: 'b', question }))
    c!.signals.onAsked('attempts', async () => ({ from: 'c' }))
    const answers = await a!.signals.ask('attempts', { destinationId: 'dst_a' })
    expect(answers).toHaveLength(2)
    expect(answers).toContainEqual({ from: 'b', question: { destinationId: 'dst_a' } })
    expect(answers).toContainEqual({ from: 'c' })
    // It is alive, and does not answer.
    c!.signals.onAsked('lanes', () => Promise.reject(new Error('broken')))
    b!.signals.onAsked('lanes', async () => ({ from: 'b' }))
    expect(await a!.signals.ask('lanes', {})).toEqual([{ from: 'b' }])
  })

  test('only what a node of the service has sealed is heard', async () => {
    await using opened = await openNodes(2)
    const [a, b] = opened.nodes
    const { natsUrl, natsPrefix } = opened.harness.options
    const heard = heardOf(b!)
    const stranger = await connect({ servers: natsUrl.reveal() })
    const forged = JSON.stringify({ from: 'x', topic: 'changes', body: {} })
    for (const payload of ['', 'nonsense', `0 0 1\n${forged}`, `0 0 1\n0123456789abcdef.AAAA`])
      stranger.publish(`${natsPrefix}.signals`, payload)
    await stranger.flush()
    a!.signals.tell('changes', { id: 'dst_a' })
    await expect.poll(() => heard).toEqual([{ id: 'dst_a' }])
    await stranger.close()
  })

  test('a node learns that others read, also one that comes later, and that they have ended', async () => {
    await using opened = await openNodes(2)
    const [a, b] = opened.nodes
    const readOn = (node: Backend): boolean[] => {
      const heard: boolean[] = []
      node.signals.onRead('counts', (isRead) => heard.push(isRead))
      return heard
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
    expect(a!.signals.activity.isFollowed).toBe(false)
    expect(subjects).toEqual([])
    a!.signals.tell('changes', {})
    await expect.poll(() => subjects).toEqual([`${natsPrefix}.signals`])
    await listener.close()
  })
})

async function seenAtOf({ nodes }: Backend): Promise<number> {
  return nodes.current.find(({ id }) => id === nodes.id)!.seenAt
}

describe.skipIf(clusterIsMissing() !== undefined)('the feed of several nodes', () => {
  test('has the values of all of them in one order, for followers on any node, also those that come later', async () => {
    await using opened = await openNodes(3)
    const [a, b, c] = opened.nodes.map(({ signals }) => signals.activity)
    const onB = await HeardFeed.of(b!)
    await expect.poll(() => a!.isFollowed && c!.isFollowed).toBe(true)
    for (let number = 0; number < 300; number++)
      for (const [from, feed] of [a!, b!, c!].entries()) feed.publish({ from, number })
    await expect.poll(() => onB.values).toHaveLength(900)
    const onC = await HeardFeed.of(c!)
    expect(onC.values).toEqual(onB.values)
    expect(onC.positions).toEqual(onB.positions)
    expect(onC.runs).toEqual(onB.runs)
    a!.publish({ from: 0, number: 300 })
    for (const { values } of [onB, onC])
      await expect.poll(() => values.at(-1)).toEqual({ from: 0, number: 300 })
    expect([onB.missed, onC.missed]).toEqual([0, 0])
  })

  test('has nothing for followers to come once it was forgotten', async () => {
    await using opened = await openNodes(2)
    const [a, b] = opened.nodes.map(({ signals }) => signals.activity)
    const early = await HeardFeed.of(a!)
    a!.publish({ user: 'u1' })
    await expect.poll(() => early.values).toHaveLength(1)
    await b!.forget()
    const late = await HeardFeed.of(b!)
    expect(late.values).toEqual([])
    expect(late.begunAt).toBe(early.positions[0])
    a!.publish({ user: 'u2' })
    await expect.poll(() => late.values).toEqual([{ user: 'u2' }])
    expect(late.positions[0]).toBeGreaterThan(early.positions[0]!)
  })

  test('tells followers how many values a node has left out that publishes more than 4 MiB in a second', async () => {
    await using opened = await openNodes(2)
    const [a, b] = opened.nodes.map(({ signals }) => signals.activity)
    const heard = await HeardFeed.of(b!)
    await expect.poll(() => a!.isFollowed).toBe(true)
    const text = 'x'.repeat(100 * 1024)
    for (let number = 0; number < 60; number++) a!.publish({ number, text })
    const added = async (): Promise<number> => {
      a!.publish({ number: 60 })
      return heard.missed
    }
    await expect.poll(added).toBeGreaterThan(15)
    const count = heard.values.length + heard.missed
    expect(heard.values.length).toBeGreaterThan(30)
    await expect.poll(() => heard.values.length + heard.missed).toBeGreaterThanOrEqual(count)
  })

  test('begins again, and is followed again, after NATS has lost what it had in memory', async () => {
    await using nats = await NatsServer.start()
    await using opened = await openNodes(0)
    const changes = { natsUrl: new Redacted(nats.url) }
    const [a, b] = [await opened.add(changes), await opened.add(changes)]
    const heard = await HeardFeed.of(b.signals.activity)
    await expect.poll(() => a.signals.activity.isFollowed).toBe(true)
    a.signals.activity.publish({ number: 1 })
    await expect.poll(() => heard.values).toEqual([{ number: 1 }])
    let missed = 0
    a.signals.onMissed(() => missed++)
    await nats.server.kill()
    await nats.server.start()
    await expect.poll(() => heard.runs.length).toBeGreaterThan(1)
    expect(heard.runs.at(-1)).not.toBe(heard.runs[0])
    const again = (): object[] => {
      a.signals.activity.publish({ number: 2 })
      return heard.values
    }
    await expect.poll(again).toContainEqual({ number: 2 })
    await expect.poll(() => missed).toBe(1)
  })
})
