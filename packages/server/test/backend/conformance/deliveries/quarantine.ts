import { describe, expect, test } from 'vitest'
import { deliveryId } from '../../../../src/delivery/sending/webhook-request.ts'
import { acceptedEvent, NOON } from '@hookline/testing/records/accepted-event'
import type { OpenBackendHarness } from '../backend-harness.ts'
import { claimDue, OTHER_LANE, partOf, recordDelivery } from './recorded-delivery.ts'

const reason = 'It cannot be read.'

export function quarantineConformance(open: OpenBackendHarness): void {
  describe('quarantine', () => {
    test('ends the claim of a delivery, stores the reason, and prevents further claims', async () => {
      await using harness = await open()
      const { quarantine } = harness.backend
      const [bad, good] = [await recordDelivery(harness), await recordDelivery(harness)]
      await claimDue(harness)
      await quarantine.add([{ id: bad.id, reason, at: NOON + 5 }])
      await quarantine.add([{ id: bad.id, reason, at: NOON + 5 }])
      await harness.reopen()
      expect(await claimDue(harness)).toEqual([good.id])
      expect(await harness.backend.deliveries.find(bad.id)).toMatchObject({
        state: 'quarantined',
        dueAt: null,
        quarantine: { reason, at: NOON + 5 },
      })
      expect((await harness.backend.upkeep.backlog()).quarantined).toBe(1)
    })

    test('stores an archived event without a delivery', async () => {
      await using harness = await open()
      const { events, quarantine, upkeep } = harness.backend
      const event = acceptedEvent()
      await harness.backend.log.append([event])
      await events.archive([{ event, declined: [] }])
      await quarantine.add([{ id: event.id, reason, at: NOON }])
      expect((await upkeep.backlog()).quarantined).toBe(1)
    })

    test('stores a delivery that was never recorded', async () => {
      await using harness = await open()
      const { deliveries, quarantine } = harness.backend
      const known = await recordDelivery(harness)
      const id = deliveryId(known.eventId, 'dst_b')
      const delivery = { ...known, id, destinationId: 'dst_b' }
      await quarantine.add([{ id: delivery.id, reason, at: NOON, delivery }])
      expect(await deliveries.find(delivery.id)).toMatchObject({
        state: 'quarantined',
        destinationId: 'dst_b',
      })
    })

    test('ignores a delivery whose event is not in the archive', async () => {
      await using harness = await open()
      const { deliveries, quarantine, upkeep } = harness.backend
      const known = await recordDelivery(harness)
      const event = acceptedEvent()
      const id = deliveryId(event.id, 'dst_a')
      const delivery = { ...known, id, eventId: event.id }
      await quarantine.add([{ id, reason, at: NOON, delivery }])
      expect(await deliveries.find(id)).toBeUndefined()
      expect((await upkeep.backlog()).quarantined).toBe(0)
    })

    test('removes a delivered delivery from the lanes of its other webhooks', async () => {
      await using harness = await open()
      const { deliveries, quarantine, upkeep } = harness.backend
      const webhooks = [partOf({ state: 'delivered' }), partOf({ url: OTHER_LANE.url })]
      const { id } = await recordDelivery(harness, { state: 'delivered', dueAt: NOON, webhooks })
      expect(await claimDue(harness, OTHER_LANE)).toEqual([id])
      await quarantine.add([{ id, reason, at: NOON }])
      expect(await claimDue(harness, OTHER_LANE)).toEqual([])
      expect(await deliveries.waiting()).toEqual({ lanes: [], isUnsplit: false })
      expect((await upkeep.backlog()).quarantined).toBe(1)
    })

    test('does not change a finished delivery', async () => {
      await using harness = await open()
      const { deliveries, quarantine } = harness.backend
      const done = await recordDelivery(harness, { state: 'delivered' })
      await quarantine.add([{ id: done.id, reason, at: NOON, delivery: done }])
      expect((await deliveries.find(done.id))?.state).toBe('delivered')
    })
  })
}
