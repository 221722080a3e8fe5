import { type AcceptedEvent, newId } from '@hookline/protocol'
import { describe, expect, test } from 'vitest'
import { withParsedFields } from '../../../src/backend/accepted-event.ts'
import type { Backend } from '../../../src/backend/backend.ts'
import { chunkOf } from '../../../src/backend/cluster/jetstream/chunk.ts'
import { openClusterBackend } from '../../../src/backend/cluster/open.ts'
import { acceptedEvent, NOON } from '@hookline/testing/records/accepted-event'
import { clusterSkipReason } from '@hookline/testing/cluster/cluster-servers'
import { purgeAll } from '@hookline/testing/engine/purge-all'
import { keptIds, receive, request } from '../conformance/deletions/purge-requests.ts'
import { attemptOf, deliveryOf } from '../conformance/deliveries/recorded-delivery.ts'
import { openClusterHarness } from './open-cluster-harness.ts'

const USER = { userIds: ['u1'], sourceIds: null }

/** Consumes and archives at least `count` events. Returns them in the order of the log. */
async function archiveNext({ log, events }: Backend, count: number): Promise<AcceptedEvent[]> {
  const archived: AcceptedEvent[] = []
  const stop = new AbortController()
  for await (const entries of log.consume({ signal: stop.signal })) {
    const received = entries.flatMap((entry) => entry.events)
    await events.archive(received.map((event) => ({ event, declined: [] })))
    await log.ack(entries)
    archived.push(...received)
    if (archived.length >= count) stop.abort()
  }
  return archived
}

describe.skipIf(clusterSkipReason() !== undefined)('purges of a cluster', () => {
  describe('cover an event that is in the log when they begin', () => {
    test.each(['before', 'after'])('on a node that was opened %s the purge', async (when) => {
      await using harness = await openClusterHarness()
      await using stack = new AsyncDisposableStack()
      const open = async () => stack.use(await openClusterBackend(harness.options))
      const before = when === 'before' ? await open() : undefined
      const { log, deletions } = harness.backend
      const [old, later] = [acceptedEvent(), acceptedEvent()]
      await log.append([old])
      const { id: deletionId } = await request(harness)
      await purgeAll(deletions, { ...USER, deletionId })
      await log.append([later])
      const node = before ?? (await open())
      const archived = await archiveNext(node, 2)
      expect(await keptIds(harness)).toEqual([later.id])
      // Immediately, even before the node's change feed reports the purge: the event must not be sent.
      const purged = archived.filter((event) => node.deletions.isPurged(event))
      expect(purged.map(({ id }) => id)).toEqual([old.id])
    })
  })

  test('are not undone by a node that accepts events before it has the suppression', async () => {
    await using harness = await openClusterHarness()
    await using other = await openClusterBackend(harness.options)
    const { deletions, suppressions } = harness.backend
    const { id: deletionId } = await request(harness, { suppress: true })
    await deletions.advance(deletionId, 'suppress', NOON)
    await suppressions.add([{ kind: 'user', id: 'u1', sourceId: 'src_a', since: NOON, deletionId }])
    await purgeAll(deletions, { ...USER, deletionId })
    const origin = { computationId: 'aud_a', destinationIds: [] }
    const [late, elsewhere, computed] = [
      acceptedEvent(),
      acceptedEvent({ sourceId: 'src_b' }),
      acceptedEvent({ origin }),
    ]
    await other.log.append([late, elsewhere, computed])
    await archiveNext(other, 3)
    expect((await keptIds(harness)).toSorted()).toEqual([elsewhere.id, computed.id].toSorted())
    await suppressions.remove({ kind: 'user', id: 'u1' })
    const again = acceptedEvent()
    await other.log.append([again])
    await archiveNext(other, 1)
    expect(await keptIds(harness)).toContain(again.id)
  })

  test("keep a user's events if only the anonymousId is suppressed", async () => {
    await using harness = await openClusterHarness()
    const { log, suppressions } = harness.backend
    const suppression = {
      kind: 'anonymous',
      sourceId: null,
      since: NOON,
      deletionId: 'del_a',
    } as const
    await suppressions.add([{ ...suppression, id: 'a1' }])
    const known = acceptedEvent({ anonymousId: 'a1' })
    const anonymous = {
      ...withParsedFields(acceptedEvent({ anonymousId: 'a1' })),
      userId: undefined,
    }
    await log.append([anonymous, known])
    await archiveNext(harness.backend, 2)
    expect(await keptIds(harness)).toEqual([known.id])
  })

  test('cover outbox events that no node has moved to the log yet', async () => {
    await using harness = await openClusterHarness()
    const { deletions } = harness.backend
    const { id: deletionId } = await request(harness)
    const origin = { computationId: 'aud_a', destinationIds: [] }
    const chunk = chunkOf([acceptedEvent({ origin })]).toString('hex')
    await harness.sql(`INSERT INTO outbox (chunk) VALUES (decode('${chunk}', 'hex'))`)
    await deletions.advance(deletionId, 'purge', NOON)
    await archiveNext(harness.backend, 1)
    await purgeAll(deletions, { ...USER, deletionId })
    expect(await keptIds(harness)).toEqual([])
  })

  test('remove deliveries that other nodes record at the same time', async () => {
    await using harness = await openClusterHarness()
    await using other = await openClusterBackend(harness.options)
    const events = await receive(harness, ...Array.from({ length: 600 }, () => ({})))
    const { id: deletionId } = await request(harness)
    const record = async (): Promise<void> => {
      for (let from = 0; from < events.length; from += 20) {
        const records = events.slice(from, from + 20).map((event) => ({
          delivery: deliveryOf(event, { attemptCount: 1 }),
          attempts: [attemptOf({ id: newId('att', NOON) })],
        }))
        await other.deliveries.record(records)
      }
    }
    await Promise.all([record(), purgeAll(harness.backend.deletions, { ...USER, deletionId })])
    const counts =
      await harness.sql(`SELECT (SELECT count(*) FROM events) + (SELECT count(*) FROM deliveries)
      + (SELECT count(*) FROM attempts) + (SELECT count(*) FROM waiting_parts) AS left`)
    expect(counts).toEqual([{ left: '0' }])
  })

  test('remove events that other nodes archive at the same time', async () => {
    await using harness = await openClusterHarness()
    await using other = await openClusterBackend(harness.options)
    const mine = Array.from({ length: 40 }, () => Array.from({ length: 25 }, () => acceptedEvent()))
    for (const events of mine) await harness.backend.log.append(events)
    const { id: deletionId } = await request(harness)
    await harness.backend.deletions.advance(deletionId, 'purge', NOON)
    const later = acceptedEvent()
    await harness.backend.log.append([later])
    await Promise.all([
      archiveNext(other, 1_001),
      purgeAll(harness.backend.deletions, { ...USER, deletionId }),
    ])
    expect(await keptIds(harness)).toEqual([later.id])
  })

  test('carried out by two nodes at once count everything once', async () => {
    await using harness = await openClusterHarness()
    await using other = await openClusterBackend(harness.options)
    const appended = Array.from({ length: 700 }, (_, index) => ({ userId: `u${index % 70}` }))
    await receive(harness, ...appended)
    const userIds = Array.from({ length: 70 }, (_, index) => `u${index}`)
    const { id: deletionId } = await request(harness, {}, userIds)
    const purge = { deletionId, userIds, sourceIds: null }
    const nodes = [harness.backend, other]
    await Promise.all(nodes.map(({ deletions }) => purgeAll(deletions, purge)))
    expect((await other.deletions.find(deletionId))?.purged.events).toBe(700)
    expect(await keptIds(harness)).toEqual([])
  })

  test('cover events that another node has already read from the archive', async () => {
    await using harness = await openClusterHarness()
    await using other = await openClusterBackend(harness.options)
    const [old] = await receive(harness, {})
    const { id: deletionId } = await request(harness)
    await harness.backend.deletions.advance(deletionId, 'purge', NOON)
    const [later] = await receive(harness, {})
    const read = (await other.followedLog.read({ after: 0, limit: 9 })).events
    expect(read.map(({ event }) => event.id)).toEqual([old!.id, later!.id])
    await purgeAll(harness.backend.deletions, { ...USER, deletionId })
    await expect.poll(() => other.deletions.isPurged(read[0]!.event)).toBe(true)
    expect(other.deletions.isPurged(read[1]!.event)).toBe(false)
  })

  test('reach another node even if the notification is lost', async () => {
    await using harness = await openClusterHarness()
    await using other = await openClusterBackend(harness.options)
    await receive(harness, {})
    const [read] = (await other.followedLog.read({ after: 0, limit: 9 })).events
    await harness.sql(`
      INSERT INTO purged_ids (kind, id, source_id, through, deletion_id, added_at)
        VALUES ('user', 'u1', '', ${Number.MAX_SAFE_INTEGER}, 'del_a', 0);
      INSERT INTO changes AS kept VALUES ('purges', 1)
        ON CONFLICT (kind) DO UPDATE SET number = kept.number + 1`)
    await expect.poll(() => other.deletions.isPurged(read!.event)).toBe(true)
  })

  test('erase until they are aborted, and report whether they have finished', async () => {
    await using harness = await openClusterHarness()
    const { deletions } = harness.backend
    expect(await deletions.erase(AbortSignal.abort())).toBe(false)
    expect(await deletions.erase(new AbortController().signal)).toBe(true)
  })
})
