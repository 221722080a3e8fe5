import type { AcceptedEvent } from '@hookline/protocol'
import { describe, expect, test } from 'vitest'
import { type Backend, BackendUnavailableError } from '../../../src/backend/backend.ts'
import type { JetStreamLog } from '../../../src/backend/cluster/jetstream/jetstream-log.ts'
import { NatsLink } from '../../../src/backend/cluster/jetstream/nats-link.ts'
import { type ClusterOptions, openClusterBackend } from '../../../src/backend/cluster/open.ts'
import type { LogEntry } from '../../../src/backend/log.ts'
import { acceptedEvent } from '@hookline/testing/records/accepted-event'
import { clusterSkipReason } from '@hookline/testing/cluster/cluster-servers'
import { openClusterHarness } from './open-cluster-harness.ts'

const idsOf = (events: readonly AcceptedEvent[]): string[] => events.map(({ id }) => id)

/** Consumes until stopped, and acks everything or nothing. */
function consuming({ log }: Backend, { acks }: { readonly acks: boolean }) {
  const stop = new AbortController()
  const entries: LogEntry[] = []
  const running = (async () => {
    for await (const some of log.consume({ signal: stop.signal })) {
      entries.push(...some)
      if (acks) await log.ack(some)
    }
  })()
  const ids = (): string[] => entries.flatMap(({ events }) => idsOf(events))
  return {
    entries,
    ids,
    async stop() {
      stop.abort()
      await running
    },
  }
}

/** Uses NATS from outside Hookline. */
async function withNats<T>(
  { natsUrl: url }: ClusterOptions,
  use: (link: NatsLink) => Promise<T>,
): Promise<T> {
  await using link = await NatsLink.open({ url })
  return await use(link)
}

describe.skipIf(clusterSkipReason() !== undefined)('the log of several nodes', () => {
  test('hands each entry to one of them', async () => {
    await using harness = await openClusterHarness()
    await using other = await openClusterBackend(harness.options)
    const nodes = [harness.backend, other]
    const consumers = nodes.map((node) => consuming(node, { acks: true }))
    const events = Array.from({ length: 200 }, (_, index) =>
      acceptedEvent({ sourceId: `src_${index % 7}` }),
    )
    await Promise.all(events.map((event, index) => nodes[index % 2]!.log.append([event])))
    const seen = (): string[] => consumers.flatMap(({ ids }) => ids())
    await expect.poll(() => seen().toSorted()).toEqual(idsOf(events).toSorted())
    for (const consumer of consumers) await consumer.stop()
  })

  test('redelivers unacked entries to another node when a node closes', async () => {
    await using harness = await openClusterHarness()
    const other = await openClusterBackend(harness.options)
    const first = consuming(other, { acks: false })
    const events = Array.from({ length: 5 }, () => acceptedEvent())
    for (const event of events) await harness.backend.log.append([event])
    await expect.poll(() => first.ids()).toEqual(idsOf(events))
    await first.stop()
    const second = consuming(harness.backend, { acks: true })
    await other[Symbol.asyncDispose]()
    await expect.poll(() => second.ids().toSorted()).toEqual(idsOf(events).toSorted())
    expect(second.entries.every(({ redelivered }) => redelivered)).toBe(true)
    await second.stop()
  })

  test('assigns no new entries to a node that has stopped consuming', async () => {
    await using harness = await openClusterHarness()
    await using other = await openClusterBackend(harness.options)
    await consuming(other, { acks: true }).stop()
    const event = acceptedEvent()
    await other.log.append([event])
    const consumer = consuming(harness.backend, { acks: true })
    await expect.poll(() => consumer.ids()).toEqual([event.id])
    expect(consumer.entries[0]?.redelivered).toBe(false)
    await consumer.stop()
  })

  test('redelivers entries that a node has not begun when its consumer ends, but not the others', async () => {
    await using harness = await openClusterHarness()
    await using other = await openClusterBackend(harness.options)
    const events = Array.from({ length: 5 }, () => acceptedEvent())
    for (const event of events) await harness.backend.log.append([event])
    const stop = new AbortController()
    const begun = events[2]!.id
    const handedOut: string[] = []
    const isBegun = (entry: LogEntry): boolean => entry.events[0]?.id === begun
    for await (const entries of other.log.consume({ signal: stop.signal, isBegun })) {
      handedOut.push(...entries.flatMap((entry) => idsOf(entry.events)))
      if (handedOut.length === events.length) break
    }
    const second = consuming(harness.backend, { acks: true })
    const rest = idsOf(events).filter((id) => id !== begun)
    await expect.poll(() => second.ids().toSorted()).toEqual(rest.toSorted())
    expect(second.entries.every(({ redelivered }) => redelivered)).toBe(true)
    await second.stop()
  })

  test('accepts an append that needs many messages, and small ones that share one', async () => {
    await using harness = await openClusterHarness()
    const { log } = harness.backend
    const large = Array.from({ length: 60 }, () =>
      acceptedEvent({ properties: { text: 'ä'.repeat(30_000) } }),
    )
    const many = Array.from({ length: 5_000 }, () => acceptedEvent())
    const small = Array.from({ length: 50 }, () => acceptedEvent())
    await log.append(large)
    await log.append(many)
    await Promise.all(small.map((event) => log.append([event])))
    const consumer = consuming(harness.backend, { acks: true })
    const all = idsOf([...large, ...many, ...small])
    await expect.poll(() => consumer.ids().length).toBe(all.length)
    expect(consumer.ids()).toEqual(all)
    expect(consumer.entries.length).toBeLessThan(40)
    await consumer.stop()
  })

  test('recreates a lost stream for both appending and consuming', async () => {
    await using harness = await openClusterHarness()
    const consumer = consuming(harness.backend, { acks: true })
    await harness.backend.log.append([acceptedEvent()])
    await expect.poll(() => consumer.ids()).toHaveLength(1)
    const log = harness.backend.log as JetStreamLog
    const position = await log.lastPosition()
    const name = `${harness.options.natsPrefix}_log`
    await withNats(harness.options, (link) => link.manager.streams.delete(name))
    const event = acceptedEvent()
    await log.append([event])
    await expect.poll(() => consumer.ids().at(-1)).toBe(event.id)
    expect(await log.lastPosition()).toBeGreaterThan(position)
    await consumer.stop()
  })

  test('reports an unreadable message and continues', async () => {
    await using harness = await openClusterHarness()
    const subject = `${harness.options.natsPrefix}.log.0`
    await withNats(harness.options, (link) => link.js.publish(subject, Buffer.from('no chunk')))
    const event = acceptedEvent()
    await harness.backend.log.append([event])
    const consumer = consuming(harness.backend, { acks: true })
    await expect.poll(() => consumer.ids()).toEqual([event.id])
    await expect.poll(() => consumer.entries).toHaveLength(2)
    const [unreadable] = consumer.entries.flatMap((entry) => entry.unreadable ?? [])
    expect(unreadable?.id).toMatch(/_log:1\.\d+$/)
    await consumer.stop()
  })

  test('refuses an append beyond the limit of waiting bytes', async () => {
    await using harness = await openClusterHarness()
    const options = { ...harness.options, maxWaitingBytes: 2_000 }
    await using narrow = await openClusterBackend(options)
    const events = Array.from({ length: 20 }, () => acceptedEvent())
    await expect(narrow.log.append(events)).rejects.toThrow(BackendUnavailableError)
    await narrow.log.append(events.slice(0, 1))
  })
})
