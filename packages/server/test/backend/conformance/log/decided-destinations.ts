import { describe, expect, test } from 'vitest'
import { acceptedEvent } from '@hookline/testing/records/accepted-event'
import type { OpenBackendHarness } from '../backend-harness.ts'
import { deliveryOf } from '../deliveries/recorded-delivery.ts'

export function decidedDestinationsConformance(open: OpenBackendHarness): void {
  describe('the decided destinations', () => {
    test('include each destination that has a delivery of the event or declined it', async () => {
      await using harness = await open()
      const { deliveries, events, log } = harness.backend
      // In one batch, so they have the same millisecond.
      const [both, declined, neither] = [acceptedEvent(), acceptedEvent(), acceptedEvent()]
      await log.append([both, declined, neither])
      await harness.settle()
      const reason = 'integrations' as const
      await events.archive([
        { event: both, declined: [{ destinationId: 'dst_b', reason }] },
        { event: declined, declined: [{ destinationId: 'dst_a', reason }] },
        { event: neither, declined: [] },
      ])
      await deliveries.record([{ delivery: deliveryOf(both), attempts: [] }])
      const decided = await events.decidedDestinations([
        both.id,
        declined.id,
        neither.id,
        'evt_none',
      ])
      expect(decided.get(both.id)).toEqual(new Set(['dst_a', 'dst_b']))
      expect(decided.get(declined.id)).toEqual(new Set(['dst_a']))
      expect([...decided.keys()].toSorted()).toEqual([both.id, declined.id].toSorted())
    })

    test('of no events are empty', async () => {
      await using harness = await open()
      expect(await harness.backend.events.decidedDestinations([])).toEqual(new Map())
    })
  })
}
