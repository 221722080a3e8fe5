import type { AcceptedEvent } from '@hookline/protocol'
import { clusterSkipReason } from '@hookline/testing/cluster/cluster-servers'
import { TestEngine } from '@hookline/testing/engine/test-engine'
import { openReceiver, type Receiver } from '@hookline/testing/receiver/receiver'
import { acceptedEvent, NOON } from '@hookline/testing/records/accepted-event'
import { randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { withParsedFields } from '../../../src/backend/accepted-event.ts'
import { chunkOf } from '../../../src/backend/cluster/jetstream/chunk.ts'
import type { JetStreamLog } from '../../../src/backend/cluster/jetstream/jetstream-log.ts'
import { NatsLink } from '../../../src/backend/cluster/jetstream/nats-link.ts'
import { purgeUser } from '../conformance/deletions/purge-requests.ts'
import { follow, loadProfile } from '../conformance/profiles/profile-changes.ts'
import { type ClusterHarness, openClusterHarness } from './open-cluster-harness.ts'

/** Appends bytes to the log from outside Hookline. */
async function publish({ options }: ClusterHarness, bytes: Uint8Array): Promise<void> {
  await using link = await NatsLink.open({ url: options.natsUrl })
  await link.js.publish(`${options.natsPrefix}.log.0`, bytes)
}

interface Bench extends AsyncDisposable {
  readonly harness: ClusterHarness
  readonly receiver: Receiver
  readonly engine: TestEngine
}

/** Opens the engine of a node with one destination. */
async function openBench(): Promise<Bench> {
  const stack = new AsyncDisposableStack()
  const harness = stack.use(await openClusterHarness())
  const receiver = stack.use(await openReceiver())
  const engine = stack.use(await TestEngine.open({ backend: harness.backend }))
  await engine.destination('dst_a', receiver.url)
  return { harness, receiver, engine, [Symbol.asyncDispose]: () => stack.disposeAsync() }
}

const messageIdsAt = (receiver: Receiver): string[] =>
  receiver.requests
    .map(({ body }) => (JSON.parse(body.toString()) as { messageId: string }).messageId)
    .toSorted()

const messageIdsOf = (events: readonly AcceptedEvent[]): string[] =>
  events.map(({ messageId }) => messageId).toSorted()

/** Whether every log entry is acked and no worker is failing. */
async function isIdle({ engine }: Bench): Promise<boolean> {
  const { bytes } = await (engine.backend.log as JetStreamLog).state()
  const { failing } = await engine.engine.status()
  return bytes === 0 && failing.size === 0
}

const quarantined = ({ harness }: Bench) =>
  harness.sql('SELECT id, reason, content FROM quarantine ORDER BY id')

/** A chunk with one bit flipped, at `offset` from the first occurrence of `part`. */
function flipped(events: readonly AcceptedEvent[], part: Uint8Array | string, offset = 0): Buffer {
  const chunk = chunkOf(events)
  chunk[chunk.indexOf(part) + offset]! ^= 1
  return chunk
}

/** A chunk whose second event has these fields. */
function withFields(events: readonly AcceptedEvent[], fields: Record<string, unknown>): Buffer {
  const [first, bad, last] = events
  return chunkOf([first!, { ...withParsedFields(bad!), ...fields }, last!])
}

describe.skipIf(clusterSkipReason() !== undefined)('on the cluster', () => {
  test.for<[string, (events: readonly AcceptedEvent[]) => Buffer]>([
    ['a byte of its body is flipped', (events) => flipped(events, events[1]!.body, 9)],
    ['a byte of its id is flipped', (events) => flipped(events, `["${events[1]!.id}`, 9)],
    ['a byte of its messageId is flipped', (events) => flipped(events, events[1]!.messageId)],
    ['its JSON is corrupted', (events) => flipped(events, `["${events[1]!.id}`)],
    ['its time is a string', (events) => withFields(events, { receivedAt: 'now' })],
    ['its source is a number', (events) => withFields(events, { sourceId: 7 })],
    ['its type is unknown', (events) => withFields(events, { type: 'unknown' })],
    ['its rest has a NUL', (events) => withFields(events, { rest: '\0' })],
    [
      'its integrations are invalid JSON',
      (events) => withFields(events, { rest: '{"integrations"' }),
    ],
    ['its origin has no destinations', (events) => withFields(events, { origin: {} })],
  ])(
    'a corrupted event in a message is quarantined, and the others are delivered: %s',
    async ([, chunkOfAll]) => {
      await using bench = await openBench()
      const { harness, receiver, engine } = bench
      const events = [acceptedEvent(), acceptedEvent(), acceptedEvent()]
      await publish(harness, chunkOfAll(events))
      const later = await engine.receive(1)
      await receiver.waitFor(3)
      expect(messageIdsAt(receiver)).toEqual(messageIdsOf([events[0]!, events[2]!, ...later]))
      await expect.poll(() => quarantined(bench)).toHaveLength(1)
      const [bad] = await quarantined(bench)
      expect((bad!['content'] as Buffer).length).toBeGreaterThan(100)
      await expect.poll(() => isIdle(bench)).toBe(true)
      expect(engine.logged.map(({ msg }) => msg)).toEqual(['quarantine.added'])
      expect((await engine.backend.upkeep.backlog()).quarantined).toBe(1)
      expect(await engine.missing()).toBe(0)
    },
  )

  test.for<[string, Buffer]>([
    ['random bytes', randomBytes(300)],
    ['a truncated chunk', chunkOf([acceptedEvent(), acceptedEvent()]).subarray(0, -7)],
    ['an unknown version', Buffer.from([9, 9, 9, 9, 9, 9, 9, 9, 9, 9])],
    ['a single byte', Buffer.from([1])],
  ])(
    'an unreadable message is quarantined, and later ones are delivered: %s',
    async ([, bytes]) => {
      await using bench = await openBench()
      const { harness, receiver, engine } = bench
      await publish(harness, bytes)
      const events = await engine.receive(1)
      await receiver.waitFor(1)
      expect(messageIdsAt(receiver)).toEqual(messageIdsOf(events))
      const name = `${harness.options.natsPrefix}_log:1.`
      await expect
        .poll(() => quarantined(bench))
        .toMatchObject([{ id: expect.stringContaining(name), content: bytes }])
      await expect.poll(() => isIdle(bench)).toBe(true)
    },
  )

  test('a deletion removes quarantined content that contains the id of the user', async () => {
    await using harness = await openClusterHarness()
    const content = Buffer.from('["evt_1","user \\"7\\""]')
    await harness.backend.quarantine.add([
      { id: 'log:1.1', reason: 'corrupted', at: NOON, content },
      { id: 'log:2.1', reason: 'corrupted', at: NOON, content: Buffer.from('"another user"') },
    ])
    await purgeUser(harness, 'user "7"')
    expect(await harness.sql('SELECT id FROM quarantine WHERE content IS NOT NULL')).toEqual([
      { id: 'log:2.1' },
    ])
    expect(await harness.sql('SELECT id FROM quarantine')).toHaveLength(2)
  })

  test.for([
    `body = convert_to(replace(convert_from(body, 'UTF8'), '39.95', '39.96'), 'UTF8')`,
    `message_id = 'another'`,
    `source_id = 'src_b'`,
    `user_id = NULL`,
    `anonymous_id = 'a'`,
    `received_at = received_at + 1`,
    `rest = '{"channel":"web"}'`,
    `checksum = checksum + 1`,
  ])('an event that was modified in the database is never sent: %s', async (change) => {
    await using bench = await openBench()
    const { harness, receiver, engine } = bench
    const [bad, good] = await engine.receive(2)
    await receiver.waitFor(2)
    await expect
      .poll(async () => (await engine.deliveries({})).map(({ state }) => state))
      .toEqual(['delivered', 'delivered'])
    await harness.sql(`UPDATE events SET ${change} WHERE id = '${bad!.id}'`)
    for (const { id } of await engine.deliveries({}))
      expect(await engine.backend.replays.retry(id, Date.now())).toBe(true)
    engine.engine.wake()
    await receiver.waitFor(3)
    await expect
      .poll(async () => (await engine.deliveries({})).map(({ state }) => state).toSorted())
      .toEqual(['delivered', 'quarantined'])
    expect(messageIdsAt(receiver).filter((id) => id === good!.messageId)).toHaveLength(2)
    expect(receiver.requests).toHaveLength(3)
    const [delivery] = await engine.deliveries({ eventId: bad!.id })
    expect(delivery?.quarantine?.reason).toBe('The event in the database is corrupted.')
    const { data } = await engine.backend.events.list({}, { limit: 10 })
    expect(data.map(({ id }) => id)).toEqual([good!.id])
    const slice = await engine.backend.followedLog.read({ after: 0, limit: 10 })
    expect(slice.events.map(({ event }) => event.id)).toEqual([good!.id])
    expect(slice.unreadable).toMatchObject([{ id: bad!.id }])
  })

  test.for<[string, boolean]>([
    [`UPDATE identity_traits SET traits = '{"plan"'`, false],
    [`UPDATE identity_traits SET traits = '{"plan":7}'`, true],
    [`UPDATE identities SET counts = 'x'`, false],
    [`UPDATE identities SET counts = '7'`, true],
  ])('a corrupted profile does not block others: %s', async ([corruption, isJson]) => {
    await using harness = await openClusterHarness()
    const traits = { plan: 'pro' }
    await follow(harness, [{ type: 'identify', traits }])
    await harness.sql(corruption)
    await follow(harness, [
      { type: 'identify', traits: { city: 'Rome' } },
      { type: 'identify', userId: 'u2', traits },
    ])
    expect((await loadProfile(harness, 'u1')).traits).toMatchObject({ city: 'Rome' })
    expect((await loadProfile(harness, 'u2')).traits).toEqual(traits)
    const profile = await harness.backend.profiles.find('default', 'u1')
    expect(profile?.counts.identify).toBeGreaterThan(0)
    expect(await harness.sql('SELECT reason FROM quarantine')).toHaveLength(isJson ? 0 : 1)
  })
})
