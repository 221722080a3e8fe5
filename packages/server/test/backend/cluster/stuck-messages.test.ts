import { cpSync, readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { JetStreamLog } from '../../../src/backend/cluster/jetstream/jetstream-log.ts'
import { NatsLink } from '../../../src/backend/cluster/jetstream/nats-link.ts'
import type { LogEntry } from '../../../src/backend/log.ts'
import { ByteBudget } from '../../../src/util/limits/byte-budget.ts'
import { Redacted } from '../../../src/util/secrets/redacted.ts'
import { acceptedEvent } from '@hookline/testing/records/accepted-event'
import { NatsServer } from '@hookline/testing/cluster/nats-server'
import { natsProgram } from '@hookline/testing/cluster/programs'
import { TemporaryFolder } from '@hookline/testing/files/temporary-folder'

const STREAM = 'test_log'
const ACK_WAIT_MS = 1_000
const SHORT_ACK_WAIT_MS = 400
const MUCH_OLDER_MS = 8_000
const OTHERS = 5

/** A node with only the log. It consumes after `consume` is called, with or without acks. */
async function openNode({ url }: NatsServer, ackWaitMs = ACK_WAIT_MS) {
  const link = await NatsLink.open({ url: new Redacted(url) })
  const waiting = new ByteBudget(10_000_000)
  const installation = { id: 'test', servers: null }
  const options = { prefix: 'test', installation, waiting, ackWaitMs }
  const log = await JetStreamLog.open(link, options)
  const stop = new AbortController()
  const entries: LogEntry[] = []
  let running = Promise.resolve()
  const run = async (acks: boolean): Promise<void> => {
    for await (const some of log.consume({ signal: stop.signal })) {
      entries.push(...some)
      if (acks) await log.ack(some)
    }
  }
  return {
    link,
    log,
    entries,
    consume: ({ acks }: { readonly acks: boolean }) => void (running = run(acks)),
    ids: () => entries.flatMap(({ events }) => events.map(({ id }) => id)),
    bytes: async () => (await log.state()).bytes,
    async [Symbol.asyncDispose]() {
      stop.abort()
      await running
      await log[Symbol.asyncDispose]()
      await link[Symbol.asyncDispose]()
    },
  }
}

/** Takes messages from a partition, acks all but the first `kept`, and disconnects like a node that dies. */
async function takeAndDie(
  { url }: NatsServer,
  partition: number,
  { taken, kept }: { readonly taken: number; readonly kept: number },
): Promise<void> {
  const link = await NatsLink.open({ url: new Redacted(url) })
  const consumer = await link.js.consumers.get(STREAM, await consumerOf(link, partition))
  let count = 0
  for await (const message of await consumer.fetch({ max_messages: taken, expires: 3_000 }))
    if (++count > kept) await message.ackAck()
  expect(count).toBe(taken)
  await link.connection.close()
}

async function consumerOf({ manager }: NatsLink, partition: number): Promise<string> {
  const infos = await manager.consumers.list(STREAM).next()
  return infos.find(({ config }) => config.filter_subject === `test.log.${partition}`)!.name
}

/** Size of the consumer state that the server has stored for a partition. */
function consumerBytes({ folder }: NatsServer, partition: number): number {
  const consumers = join(folder, 'jetstream', '$G', 'streams', STREAM, 'obs')
  const name = readdirSync(consumers).find((each) => each.startsWith(`partition_${partition}_`))!
  return statSync(join(consumers, name, 'o.dat'), { throwIfNoEntry: false })?.size ?? 0
}

/** Deletes all consumers, like a node that replaces them. */
async function removeConsumers({ manager }: NatsLink): Promise<void> {
  const infos = await manager.consumers.list(STREAM).next()
  for (const { name } of infos) await manager.consumers.delete(STREAM, name)
}

describe.skipIf(natsProgram() === undefined)('messages that the server has forgotten', () => {
  test.each([
    ['that was created before them', false],
    ['that was created after them and should have delivered them', true],
  ])('are redelivered, and marked as redelivered, by a consumer %s', async (_, isLater) => {
    await using nats = await NatsServer.start()
    const events = Array.from({ length: 5 }, () => acceptedEvent())
    {
      await using node = await openNode(nats)
      for (const event of events) await node.log.append([event])
      if (isLater) await removeConsumers(node.link)
      using copy = new TemporaryFolder()
      // Like a server killed after it has written its consumers' state, but before its stream's.
      const messages = join(nats.folder, 'jetstream', '$G', 'streams', STREAM, 'msgs')
      await nats.server.kill()
      cpSync(messages, copy.path, { recursive: true })
      await nats.server.start()
      node.consume({ acks: true })
      await expect.poll(() => node.ids()).toHaveLength(events.length)
      await expect.poll(() => node.bytes().catch(() => undefined)).toBe(0)
      await nats.server.stop()
      rmSync(messages, { recursive: true })
      cpSync(copy.path, messages, { recursive: true })
      await nats.server.start()
    }
    await using first = await openNode(nats)
    await using second = await openNode(nats)
    expect(await first.bytes()).toBeGreaterThan(0)
    for (const node of [first, second]) node.consume({ acks: true })
    const ids = (): string[] => [...first.ids(), ...second.ids()].toSorted()
    await expect.poll(ids).toEqual(events.map(({ id }) => id).toSorted())
    expect([...first.entries, ...second.entries].every((entry) => entry.redelivered)).toBe(true)
    await expect.poll(() => first.bytes()).toBe(0)
    const later = acceptedEvent()
    await first.log.append([later])
    await expect.poll(ids).toContain(later.id)
  })

  test('are redelivered if their consumer is replaced while they are in progress', async () => {
    await using nats = await NatsServer.start()
    await using node = await openNode(nats)
    await node.log.append([acceptedEvent()])
    node.consume({ acks: false })
    await expect.poll(() => node.entries).toHaveLength(1)
    await removeConsumers(node.link)
    const bytesAfterAck = async (): Promise<number | undefined> => {
      await node.log.ack(node.entries).catch(() => undefined)
      return await node.bytes()
    }
    await expect.poll(bytesAfterAck).toBe(0)
    expect(node.entries.slice(1).every((entry) => entry.redelivered)).toBe(true)
  })

  test('are redelivered after the server and the node that received them were killed', async () => {
    await using nats = await NatsServer.start()
    const [older, newer] = [acceptedEvent(), acceptedEvent()]
    {
      await using node = await openNode(nats, SHORT_ACK_WAIT_MS)
      await node.log.append([older])
      const appendedAt = performance.now()
      await expect.poll(() => performance.now() - appendedAt).toBeGreaterThan(MUCH_OLDER_MS)
      await node.log.append([newer])
      for (let others = 0; others < OTHERS; others++) await node.log.append([acceptedEvent()])
    }
    const partition = crc32(older.sourceId) % 4
    const before = consumerBytes(nats, partition)
    await takeAndDie(nats, partition, { taken: OTHERS + 2, kept: 2 })
    await expect.poll(() => consumerBytes(nats, partition)).toBeGreaterThan(before)
    await nats.server.kill()
    await nats.server.start()
    await using node = await openNode(nats, SHORT_ACK_WAIT_MS)
    node.consume({ acks: true })
    const wanted = expect.arrayContaining([older.id, newer.id])
    await expect.poll(() => node.ids()).toEqual(wanted)
  })

  test('do not affect messages in a replacement stream when they are acked late', async () => {
    await using nats = await NatsServer.start()
    await using node = await openNode(nats)
    await node.log.append([acceptedEvent()])
    node.consume({ acks: false })
    await expect.poll(() => node.entries).toHaveLength(1)
    await node.link.manager.streams.delete(STREAM)
    const event = acceptedEvent()
    await node.log.append([event])
    await expect.poll(() => node.ids().at(-1)).toBe(event.id)
    const [lost, kept] = node.entries
    await node.log.ack([lost!])
    expect(await node.bytes()).toBeGreaterThan(0)
    await node.log.ack([kept!])
    await expect.poll(() => node.bytes()).toBe(0)
  })

  test('do not include a message that a node holds for a long time', async () => {
    await using nats = await NatsServer.start()
    await using node = await openNode(nats)
    await using other = await openNode(nats)
    const before = await node.link.manager.consumers.list(STREAM).next()
    node.consume({ acks: false })
    other.consume({ acks: true })
    const held = acceptedEvent()
    await node.log.append([held])
    const started = performance.now()
    while (performance.now() - started < 3 * ACK_WAIT_MS) await node.log.append([acceptedEvent()])
    const after = await node.link.manager.consumers.list(STREAM).next()
    expect(after.map(({ name }) => name)).toEqual(before.map(({ name }) => name))
  })
})
