import type { AcceptedEvent } from '@hookline/protocol'
import { describe, expect, test } from 'vitest'
import { acceptedEvent, NOON } from '../../../harness/accepted-event.ts'
import { computedEvent } from '../../../harness/computed-event.ts'
import type { OpenBackendHarness } from '../backend-harness.ts'
import { afterPurge, keptIds, request } from '../deletions/purge-requests.ts'
import { LANE, recordDelivery } from '../deliveries/recorded-delivery.ts'

/** Events that no client sent keep their origin, and belong to their user whatever their source. */
export function computedEventsConformance(open: OpenBackendHarness): void {
  describe('a computed event', () => {
    test('has its origin in the log, the archive and the queue, also after a restart', async () => {
      await using harness = await open()
      const event = computedEvent(['dst_a', 'dst_b'])
      await recordDelivery(harness, {}, event)
      await harness.reopen()
      const { log, events, deliveries } = harness.backend
      for await (const [entry] of log.consume({ signal: new AbortController().signal })) {
        expect(entry?.events).toEqual([event])
        break
      }
      expect(await events.find(event.id)).toMatchObject(event)
      const listed = await events.list({ sourceId: 'aud_a' }, { limit: 9 })
      expect(listed.data).toMatchObject([event])
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
      for (const event of [first, again, other]) await harness.backend.log.append([event])
      expect(await keptIds(harness)).toEqual([other.id, first.id])
      expect(await harness.backend.events.find(first.id)).toMatchObject({ duplicates: 1 })
    })

    test('is purged with its user, also where the purge is limited to some sources', async () => {
      await using harness = await open()
      const { log, deletions } = harness.backend
      const [call, elsewhere, mine, other] = [
        acceptedEvent(),
        acceptedEvent({ sourceId: 'src_b' }),
        computedEvent(),
        computedEvent(['dst_a'], { userId: 'u2' }),
      ]
      await log.append([call, elsewhere, mine, other])
      const { id: deletionId } = await request(harness)
      await deletions.advance(deletionId, 'purge', NOON)
      const later = computedEvent()
      await log.append([later])
      const purge = { deletionId, userIds: ['u1'], sourceIds: ['src_a'] }
      const { purged } = await afterPurge(harness, purge)
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
