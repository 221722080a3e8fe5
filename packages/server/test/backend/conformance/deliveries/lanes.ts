import type { Delivery } from '@hookline/protocol'
import { describe, expect, test } from 'vitest'
import type { Backend } from '../../../../src/backend/backend.ts'
import { acceptedEvent, NOON } from '@hookline/testing/records/accepted-event'
import { newReplay } from '@hookline/testing/records/new-replay'
import type { OpenBackendHarness } from '../backend-harness.ts'
import {
  claimDue,
  deliveryOf,
  idsOf,
  LANE,
  OTHER_LANE,
  partOf,
  recordDelivery,
} from './recorded-delivery.ts'

const BOTH = [partOf(), partOf({ url: OTHER_LANE.url })]

/** Records the delivery with another due time of its only part. */
async function recordDue(
  { deliveries }: Backend,
  delivery: Delivery,
  { dueAt, claimed = [] }: { readonly dueAt: number; readonly claimed?: readonly string[] },
): Promise<void> {
  const webhooks = [partOf({ dueAt })]
  const later = { ...delivery, attemptCount: 1, dueAt, webhooks }
  await deliveries.record([{ delivery: later, attempts: [], claimed }])
}

export function lanesConformance(open: OpenBackendHarness): void {
  describe('a lane', () => {
    test('hands out its due parts with their events, earliest due first', async () => {
      await using harness = await open()
      const late = await recordDelivery(harness, { dueAt: NOON + 5 })
      const early = await recordDelivery(harness, { dueAt: NOON - 5 })
      await recordDelivery(harness, { dueAt: NOON + 1000 })
      await recordDelivery(harness, { destinationId: 'dst_b' })
      await recordDelivery(harness, { webhooks: [partOf({ url: OTHER_LANE.url })] })
      const claimed = await harness.backend.deliveries.claim(LANE, { due: NOON + 10, limit: 9 })
      expect(idsOf(claimed)).toEqual([early.id, late.id])
      expect(claimed.deliveries[0]?.delivery).toEqual(early)
      expect(claimed.deliveries[0]?.event.id).toBe(early.eventId)
      expect(claimed.deliveries[0]?.event.event.properties).toEqual({ revenue: 39.95 })
      expect(claimed.unreadable).toEqual([])
    })

    test('hands out a part to one claim at a time, until it is recorded or released', async () => {
      await using harness = await open()
      const { backend } = harness
      const due = [
        await recordDelivery(harness),
        await recordDelivery(harness),
        await recordDelivery(harness),
      ]
      const first = await claimDue(harness, LANE, 2)
      const second = await claimDue(harness)
      expect([...first, ...second].toSorted()).toEqual(due.map(({ id }) => id).toSorted())
      expect(await claimDue(harness)).toEqual([])
      await backend.deliveries.release([due[0]!.id, 'msg_unknown'])
      await backend.deliveries.release([due[0]!.id, 'msg_unknown'])
      expect(await claimDue(harness)).toEqual([due[0]!.id])
      await recordDue(backend, due[0]!, { dueAt: NOON + 50 })
      expect(await claimDue(harness)).toEqual([])
      const later = await backend.deliveries.claim(LANE, { due: NOON + 50, limit: 9 })
      expect(idsOf(later)).toEqual([due[0]!.id])
    })

    test('does not hand out a part claimed by its record, until a later record without the claim', async () => {
      await using harness = await open()
      const { deliveries, log } = harness.backend
      const event = acceptedEvent()
      await log.append([event])
      await harness.settle()
      const delivery = deliveryOf(event)
      await deliveries.record([{ delivery, attempts: [], claimed: [LANE.url] }])
      expect(await claimDue(harness)).toEqual([])
      expect(await deliveries.waiting()).toEqual({ lanes: [], isUnsplit: false })
      await recordDue(harness.backend, delivery, { dueAt: NOON, claimed: [LANE.url] })
      expect(await claimDue(harness)).toEqual([])
      await recordDue(harness.backend, delivery, { dueAt: NOON })
      expect(await claimDue(harness)).toEqual([delivery.id])
    })

    test('hands out its part of a delivery independently of the other lane', async () => {
      await using harness = await open()
      const { deliveries } = harness.backend
      const { id } = await recordDelivery(harness, { webhooks: BOTH })
      expect(await claimDue(harness, LANE)).toEqual([id])
      expect(await claimDue(harness, OTHER_LANE)).toEqual([id])
      expect(await claimDue(harness, LANE)).toEqual([])
      await deliveries.release([id], LANE)
      expect(await claimDue(harness, OTHER_LANE)).toEqual([])
      expect(await claimDue(harness, LANE)).toEqual([id])
      await deliveries.release([id])
      expect(await claimDue(harness, LANE)).toEqual([id])
      expect(await claimDue(harness, OTHER_LANE)).toEqual([id])
    })

    test('ends its claim with a record that claims only the part of another lane', async () => {
      await using harness = await open()
      const { deliveries } = harness.backend
      const delivery = await recordDelivery(harness, { webhooks: BOTH })
      await claimDue(harness, LANE)
      await claimDue(harness, OTHER_LANE)
      await deliveries.record([{ delivery, attempts: [], claimed: [LANE.url] }])
      expect(await claimDue(harness, LANE)).toEqual([])
      expect(await claimDue(harness, OTHER_LANE)).toEqual([delivery.id])
    })

    test('keeps a claim made while the delivery is being recorded', async () => {
      await using harness = await open()
      const { deliveries } = harness.backend
      const later = await recordDelivery(harness, { dueAt: NOON + 1000 })
      const recording = recordDue(harness.backend, later, { dueAt: NOON })
      // Claims once the record is durable, possibly before it resolves.
      let claimed: string[] = []
      while (claimed.length === 0) {
        await new Promise((resolve) => setImmediate(resolve))
        claimed = idsOf(await deliveries.claim(LANE, { due: NOON, limit: 9 }))
      }
      await recording
      expect(await claimDue(harness)).toEqual([])
    })

    test('hands out claimed parts again after a restart', async () => {
      await using harness = await open()
      const { id } = await recordDelivery(harness, { webhooks: BOTH })
      await claimDue(harness, LANE)
      await claimDue(harness, OTHER_LANE)
      await harness.reopen()
      expect(await claimDue(harness, LANE)).toEqual([id])
      expect(await claimDue(harness, OTHER_LANE)).toEqual([id])
    })

    test('hands out held parts only to claims of held parts, until they are due again', async () => {
      await using harness = await open()
      const { deliveries } = harness.backend
      const held = await recordDelivery(harness, { state: 'held', attemptCount: 1 })
      await recordDelivery(harness)
      const claimHeld = async (): Promise<string[]> =>
        idsOf(await deliveries.claim(LANE, { due: 'held', limit: 9 }))
      const due = await deliveries.claim(LANE, { due: Number.MAX_SAFE_INTEGER, limit: 9 })
      expect(idsOf(due)).not.toContain(held.id)
      expect(await claimHeld()).toEqual([held.id])
      expect(await claimHeld()).toEqual([])
      const resumed = { ...held, state: 'pending' as const }
      await recordDue(harness.backend, resumed, { dueAt: NOON })
      expect(await claimHeld()).toEqual([])
      expect(await claimDue(harness)).toEqual([held.id])
    })

    test('hands out the pending part of a delivery that another webhook accepted', async () => {
      await using harness = await open()
      const webhooks = [partOf({ state: 'delivered' }), partOf({ url: OTHER_LANE.url })]
      const { id } = await recordDelivery(harness, { state: 'delivered', dueAt: NOON, webhooks })
      expect(await claimDue(harness, LANE)).toEqual([])
      expect(await claimDue(harness, OTHER_LANE)).toEqual([id])
    })
  })

  describe('the waiting lanes', () => {
    test('have the due time of their next unclaimed part, and whether parts are held', async () => {
      await using harness = await open()
      const { deliveries } = harness.backend
      expect(await deliveries.waiting()).toEqual({ lanes: [], isUnsplit: false })
      await recordDelivery(harness, { dueAt: NOON + 7 })
      await recordDelivery(harness, { dueAt: NOON + 3 })
      const webhooks = [partOf({ url: OTHER_LANE.url, state: 'held' })]
      await recordDelivery(harness, { state: 'held', webhooks })
      await recordDelivery(harness, { destinationId: 'dst_b' })
      await recordDelivery(harness, { destinationId: 'dst_c', state: 'delivered' })
      await claimDue(harness, { ...LANE, destinationId: 'dst_b' })
      const { lanes, isUnsplit } = await deliveries.waiting()
      expect(isUnsplit).toBe(false)
      expect(lanes).toHaveLength(2)
      expect(lanes).toContainEqual({ ...LANE, dueAt: NOON + 3, isHeld: false })
      expect(lanes).toContainEqual({ ...OTHER_LANE, dueAt: null, isHeld: true })
    })

    test('exclude a lane whose last part has ended', async () => {
      await using harness = await open()
      const { deliveries } = harness.backend
      const delivery = await recordDelivery(harness)
      await claimDue(harness)
      const ended = { state: 'delivered', dueAt: null } as const
      const webhooks = [partOf(ended)]
      await deliveries.record([{ delivery: { ...delivery, ...ended, webhooks }, attempts: [] }])
      expect(await deliveries.waiting()).toEqual({ lanes: [], isUnsplit: false })
      await harness.reopen()
      expect((await harness.backend.deliveries.waiting()).lanes).toEqual([])
    })

    test('include the lane of a webhook from before a restart', async () => {
      await using harness = await open()
      await recordDelivery(harness, { webhooks: BOTH })
      await harness.reopen()
      const { lanes } = await harness.backend.deliveries.waiting()
      expect(lanes).toHaveLength(2)
      for (const lane of [LANE, OTHER_LANE])
        expect(lanes).toContainEqual({ ...lane, dueAt: NOON, isHeld: false })
    })
  })

  describe('deliveries without parts', () => {
    test('are handed out after a manual retry, to one claim at a time, until they have parts', async () => {
      await using harness = await open()
      const { deliveries, replays } = harness.backend
      const accepted = partOf({ url: OTHER_LANE.url, state: 'delivered' })
      const webhooks = [partOf({ state: 'rejected' }), accepted]
      const { id } = await recordDelivery(harness, { state: 'rejected', webhooks })
      await replays.retry(id, NOON + 9)
      expect(await deliveries.waiting()).toEqual({ lanes: [], isUnsplit: true })
      const [claimed] = (await deliveries.claimUnsplit(9)).deliveries
      expect(claimed?.delivery).toMatchObject({ id, state: 'pending', webhooks: [accepted] })
      expect(claimed?.event.id).toBe(claimed?.delivery.eventId)
      expect(idsOf(await deliveries.claimUnsplit(9))).toEqual([])
      expect((await deliveries.waiting()).isUnsplit).toBe(false)
      await deliveries.release([id])
      expect(idsOf(await deliveries.claimUnsplit(9))).toEqual([id])
      const split = { ...claimed!.delivery, webhooks: [accepted, partOf()] }
      await deliveries.record([{ delivery: split, attempts: [] }])
      expect((await deliveries.waiting()).isUnsplit).toBe(false)
      expect(idsOf(await deliveries.claimUnsplit(9))).toEqual([])
      expect(await claimDue(harness)).toEqual([id])
    })

    test('are handed out after a step of a replay, regardless of the clock, and after a restart', async () => {
      await using harness = await open()
      const { replays } = harness.backend
      const ended = [
        await recordDelivery(harness, { state: 'rejected' }),
        await recordDelivery(harness, { state: 'expired' }),
      ]
      const replay = newReplay()
      await replays.create(replay)
      const step = { deliveries: ended, scanned: 2, reachedAt: NOON, cursor: null, now: NOON * 2 }
      await replays.advance(replay, step)
      await harness.reopen()
      const { deliveries } = harness.backend
      const first = idsOf(await deliveries.claimUnsplit(1))
      expect(first).toHaveLength(1)
      expect((await deliveries.waiting()).isUnsplit).toBe(true)
      const claimed = [...first, ...idsOf(await deliveries.claimUnsplit(9))]
      expect(claimed.toSorted()).toEqual(ended.map(({ id }) => id).toSorted())
      expect(await claimDue(harness)).toEqual([])
    })
  })
}
