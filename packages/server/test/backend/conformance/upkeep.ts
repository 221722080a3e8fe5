import { formatTimestamp } from '@hookline/protocol'
import { describe, expect, test } from 'vitest'
import type { RemovalSlice } from '../../../src/backend/upkeep.ts'
import { acceptedEvent, NOON } from '@hookline/testing/records/accepted-event'
import { newReplay } from '@hookline/testing/records/new-replay'
import type { BackendHarness, OpenBackendHarness } from './backend-harness.ts'
import { claimDue, OTHER_LANE, partOf, recordDelivery } from './deliveries/recorded-delivery.ts'

const DAY = 24 * 60 * 60 * 1000

/**
 * Archives batches of entries, calls `whenArchived`, and acks the batches until `events` events are
 * acked.
 */
async function ackAll(
  { backend: { log, events: archive } }: BackendHarness,
  events: number,
  whenArchived: () => Promise<void> = async () => undefined,
): Promise<void> {
  const stop = new AbortController()
  let seen = 0
  for await (const entries of log.consume({ signal: stop.signal })) {
    const archiving = entries.flatMap((entry) =>
      entry.events.map((event) => ({ event, declined: [] })),
    )
    await archive.archive(archiving)
    await whenArchived()
    await log.ack(entries)
    seen += archiving.length
    if (seen >= events) stop.abort()
  }
}

/** Acks the events appended by `recordDelivery`, which acks them itself on the cluster. */
async function ackRecorded(harness: BackendHarness): Promise<void> {
  const { undecided } = await harness.backend.upkeep.inventory()
  if (undecided.events > 0) await ackAll(harness, undecided.events)
}

async function removeAll({ backend }: BackendHarness, slice: RemovalSlice): Promise<number> {
  let removed = 0
  let cursor: string | null | undefined
  while (cursor !== null) {
    const next = await backend.upkeep.removeOldest({ ...slice, ...(cursor && { cursor }) })
    removed += next.removed
    cursor = next.cursor
  }
  return removed
}

const aged = (days: number) =>
  acceptedEvent({ at: NOON - days * DAY, receivedAt: formatTimestamp(NOON - days * DAY) })

/** Fields of a delivery whose only part is in this state. */
function withPart(state: 'pending' | 'held' | 'expired') {
  const part = partOf({ state })
  return { state, attemptCount: 1, dueAt: part.dueAt, webhooks: [part] }
}

export function upkeepConformance(open: OpenBackendHarness): void {
  describe('upkeep', () => {
    test('counts pending and held deliveries by destination as their states change', async () => {
      await using harness = await open()
      const { deliveries, upkeep } = harness.backend
      expect(await upkeep.backlog()).toEqual({
        waiting: [],
        oldestPendingAt: undefined,
        quarantined: 0,
      })
      const first = await recordDelivery(harness, { firstDueAt: NOON - 7 })
      const second = await recordDelivery(harness)
      const held = await recordDelivery(harness, { destinationId: 'dst_b', state: 'held' })
      await recordDelivery(harness, { destinationId: 'dst_b', state: 'delivered' })
      expect(await upkeep.backlog()).toMatchObject({
        waiting: [
          { destinationId: 'dst_a', state: 'pending', count: 2 },
          { destinationId: 'dst_b', state: 'held', count: 1 },
        ],
        oldestPendingAt: NOON - 7,
      })
      await deliveries.record([
        { delivery: { ...first, ...withPart('expired') }, attempts: [] },
        { delivery: { ...second, ...withPart('held') }, attempts: [] },
        { delivery: { ...held, ...withPart('pending') }, attempts: [] },
      ])
      await harness.reopen()
      expect(await harness.backend.upkeep.backlog()).toMatchObject({
        waiting: [
          { destinationId: 'dst_a', state: 'held', count: 1 },
          { destinationId: 'dst_b', state: 'pending', count: 1 },
        ],
        oldestPendingAt: NOON,
      })
    })

    test('reports the size of the data and the backlogs', async () => {
      await using harness = await open()
      const { log, upkeep, profiles, replays } = harness.backend
      const behind = { events: 0, oldestAt: null }
      expect(await upkeep.inventory()).toMatchObject({
        events: { count: 0, isExact: true },
        oldestEventAt: null,
        undecided: behind,
        notInProfiles: null,
        openReplays: 0,
        openDeletions: 0,
      })
      await profiles.begin(100)
      await log.append([aged(2), aged(1)])
      await replays.create(newReplay())
      const oldest = { events: 2, oldestAt: NOON - 2 * DAY }
      await ackAll(harness, 2, async () =>
        expect(await upkeep.inventory()).toMatchObject({
          events: { count: 2, isExact: true },
          oldestEventAt: NOON - 2 * DAY,
          undecided: oldest,
          notInProfiles: oldest,
          openReplays: 1,
        }),
      )
      const after = await upkeep.inventory()
      expect(after).toMatchObject({ undecided: behind, notInProfiles: oldest })
      expect(after.databaseBytes).toBeGreaterThan(0)
      const disk = await upkeep.disk()
      expect(disk === null || (disk.freeBytes > 0 && disk.freeBytes <= disk.totalBytes)).toBe(true)
    })

    test('counts many events, exactly or approximately', async () => {
      await using harness = await open()
      const { log, upkeep } = harness.backend
      for (let batch = 0; batch < 20; batch++) {
        const events = Array.from({ length: 600 }, () => acceptedEvent())
        const again = events.map((event) => [event, acceptedEvent(event.event)])
        await log.append(again.flat())
      }
      await harness.settle()
      const { events } = await upkeep.inventory()
      const [min, max] = events.isExact ? [12_000, 12_000] : [11_500, 12_500]
      expect(events.count).toBeGreaterThanOrEqual(min)
      expect(events.count).toBeLessThanOrEqual(max)
    })

    test('removes events older than a given time, with all their data', async () => {
      await using harness = await open()
      const { deliveries, events, quarantine } = harness.backend
      const [old, young] = [aged(9), aged(1)]
      const expired = await recordDelivery(harness, { state: 'delivered' }, old)
      const kept = await recordDelivery(harness, { state: 'rejected' }, young)
      await quarantine.add([{ id: expired.id, reason: 'x', at: NOON }])
      const declined = [{ destinationId: 'dst_b', reason: 'integrations' }] as const
      await events.archive([{ event: old, declined }])
      await ackRecorded(harness)
      expect(await removeAll(harness, { before: NOON - 7 * DAY })).toBe(1)
      expect(await events.find(old.id)).toBeUndefined()
      expect(await deliveries.find(expired.id)).toBeUndefined()
      expect(await events.find(young.id)).toBeDefined()
      expect(await deliveries.find(kept.id)).toBeDefined()
      expect((await harness.backend.upkeep.backlog()).quarantined).toBe(0)
      expect(await removeAll(harness, { before: NOON - 7 * DAY })).toBe(0)
    })

    test('never removes an event that is unacked or waiting for delivery', async () => {
      await using harness = await open()
      const acked = [aged(9), aged(9), aged(9)]
      await recordDelivery(harness, { state: 'pending' }, acked[0])
      await recordDelivery(harness, { state: 'held' }, acked[1])
      await recordDelivery(harness, { state: 'delivered' }, acked[2])
      await ackRecorded(harness)
      const unacked = aged(9)
      await harness.backend.log.append([unacked])
      await ackAll(harness, 1, async () => expect(await removeAll(harness, {})).toBe(1))
      const left = await harness.backend.events.list({}, { limit: 9 })
      expect(left.data.map(({ id }) => id).toSorted()).toEqual(
        [acked[0]!.id, acked[1]!.id, unacked.id].toSorted(),
      )
    })

    test('removes an event whose name has not been counted yet, but none that profiles have not applied yet', async () => {
      await using harness = await open()
      const { eventNames, profiles } = harness.backend
      await eventNames.state()
      await recordDelivery(harness, { state: 'delivered' }, aged(9))
      await ackRecorded(harness)
      expect(await removeAll(harness, {})).toBe(1)
      await profiles.begin(100)
      await recordDelivery(harness, { state: 'delivered' }, aged(9))
      await ackRecorded(harness)
      expect(await removeAll(harness, {})).toBe(0)
    })

    test('never removes an event that one webhook has accepted while another webhook is still waiting for it', async () => {
      await using harness = await open()
      const old = aged(9)
      const accepted = partOf({ state: 'delivered' })
      const change = { state: 'delivered', dueAt: NOON, attemptCount: 1 } as const
      const webhooks = [accepted, partOf({ url: OTHER_LANE.url })]
      const delivery = await recordDelivery(harness, { ...change, webhooks }, old)
      await ackRecorded(harness)
      expect(await removeAll(harness, { before: NOON })).toBe(0)
      expect(await claimDue(harness, OTHER_LANE)).toEqual([delivery.id])
      const ended = [accepted, partOf({ url: OTHER_LANE.url, state: 'not_retried' })]
      const after = { ...delivery, dueAt: null, webhooks: ended }
      await harness.backend.deliveries.record([{ delivery: after, attempts: [] }])
      expect(await removeAll(harness, { before: NOON })).toBe(1)
      expect(await harness.backend.deliveries.find(delivery.id)).toBeUndefined()
    })

    test('skips events that a wrong clock stamped in the future', async () => {
      await using harness = await open()
      await harness.backend.log.append([aged(-1000), aged(9)])
      await ackAll(harness, 2)
      expect(await removeAll(harness, { before: NOON })).toBe(1)
    })

    test('removes everything in slices, after which the data uses fewer bytes', async () => {
      await using harness = await open()
      const { log, upkeep } = harness.backend
      const events = Array.from({ length: 3000 }, () =>
        acceptedEvent({ properties: { filler: 'x'.repeat(500) } }),
      )
      await log.append(events)
      await ackAll(harness, 3000)
      const before = await upkeep.usedBytes()
      expect(before).toBeGreaterThan(3000 * 500)
      const first = await upkeep.removeOldest({})
      expect(first.cursor).not.toBeNull()
      expect(first.removed).toBeLessThan(3000)
      expect(first.removed + (await removeAll(harness, {}))).toBe(3000)
      expect(await upkeep.usedBytes()).toBeLessThan(before / 5)
    })
  })
}
