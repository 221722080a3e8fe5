import type { AcceptedEvent } from '@hookline/protocol'
import { describe, expect, test } from 'vitest'
import { acceptedEvent, NOON } from '@hookline/testing/records/accepted-event'
import { computedEvent } from '@hookline/testing/records/computed-event'
import type { OpenBackendHarness } from '../backend-harness.ts'
import { afterPurge, keptIds, request } from '../deletions/purge-requests.ts'
import { deliveryOf, LANE } from '../deliveries/recorded-delivery.ts'

/** Computed events keep their origin, and belong to their user regardless of their source. */
export function computedEventsConformance(open: OpenBackendHarness): void {
  describe('a computed event', () => {
    test('has its origin in the log, the archive and the queue, even after a restart', async () => {
      await using harness = await open()
      const event = computedEvent(['dst_a', 'dst_b'])
      await harness.backend.log.append([event])
      await harness.reopen()
      const { signal } = new AbortController()
      for await (const [entry] of harness.backend.log.consume({ signal })) {
        expect(entry?.events).toEqual([event])
        break
      }
      await harness.settle()
      await harness.backend.deliveries.record([{ delivery: deliveryOf(event), attempts: [] }])
      await harness.reopen()
      const { events, deliveries } = harness.backend
      expect(await events.find(event.id)).toMatchObject(event)
      const listed = await events.list({ sourceId: 'aud_a' }, { limit: 9 })
      const { id, origin, event: call } = event
      expect(listed.data).toMatchObject([{ id, origin, event: call }])
      const claim = await deliveries.claim(LANE, { due: NOON, limit: 9 })
      expect(claim.deliveries.map((each) => each.event)).toEqual([event])
    })

    test('is a duplicate of one with the same messageId of the same computation', async () => {
      await using harness = await open()
      const [first, again, other] = [
        computedEvent(['dst_a'], { messageId: 'm' }),
        computedEvent(['dst_a'], { messageId: 'm' }),
        computedEvent(['dst_a'], { messageId: 'm', sourceId: 'aud_b' }),
      ]
      for (const event of [first, again, other]) {
        await harness.backend.log.append([event])
        await harness.settle()
      }
      expect(await keptIds(harness)).toEqual([other.id, first.id])
      expect(await harness.backend.events.find(first.id)).toMatchObject({ duplicates: 1 })
    })

    test('is purged with its user, even if the purge is limited to some sources', async () => {
      await using harness = await open()
      const { log, deletions } = harness.backend
      const [call, elsewhere, mine, other] = [
        acceptedEvent(),
        acceptedEvent({ sourceId: 'src_b' }),
        computedEvent(),
        computedEvent(['dst_a'], { userId: 'u2' }),
      ]
      for (const event of [call, elsewhere, mine, other]) {
        await log.append([event])
        await harness.settle()
      }
      const { id: deletionId } = await request(harness)
      await deletions.advance(deletionId, 'purge', NOON)
      const purge = { deletionId, userIds: ['u1'], sourceIds: ['src_a'] }
      const { purged } = await afterPurge(harness, purge)
      const later = computedEvent()
      await log.append([later])
      await harness.settle()
      expect(purged.events).toBe(2)
      expect(await keptIds(harness)).toEqual([later.id, other.id, elsewhere.id])
      const isPurged = (event: AcceptedEvent): boolean => deletions.isPurged(event)
      expect([call, elsewhere, mine, other, later].map(isPurged)).toEqual([
        true,
        false,
        true,
        false,
        false,
      ])
    })
  })
}
