import type { Attempt, Delivery } from '@hookline/protocol'
import { describe, expect, test } from 'vitest'
import { NOON } from '@hookline/testing/records/accepted-event'
import type { OpenBackendHarness } from '../backend-harness.ts'
import {
  attemptOf,
  claimDue,
  lastOf,
  OTHER_LANE,
  partOf,
  recordDelivery,
} from './recorded-delivery.ts'

/** The delivery after a failed attempt to its only webhook. */
function retried(delivery: Delivery, attempt: Attempt, dueAt: number): Delivery {
  const webhooks = [partOf({ dueAt, lastAttempt: lastOf(attempt) })]
  return { ...delivery, attemptCount: attempt.number, dueAt, webhooks }
}

export function deliveriesConformance(open: OpenBackendHarness): void {
  describe('deliveries', () => {
    test('have the same state, parts and attempts after a restart', async () => {
      await using harness = await open()
      const parked = await recordDelivery(harness)
      const failed = attemptOf({ error: 'It answered 500.', headers: { server: 'nginx' } })
      const waiting = retried(parked, failed, NOON + 9)
      await harness.backend.deliveries.record([{ delivery: waiting, attempts: [failed] }])
      const delivered = lastOf(
        attemptOf({
          id: 'att_2',
          number: 2,
          startedAt: NOON + 9,
          outcome: 'delivered',
          class: 'delivered',
          status: 200,
        }),
      )
      const ended: Delivery = {
        ...waiting,
        state: 'delivered',
        attemptCount: 2,
        dueAt: null,
        webhooks: [
          partOf({ state: 'delivered', lastAttempt: delivered }),
          partOf({ url: OTHER_LANE.url, state: 'removed', firstDueAt: NOON + 1 }),
        ],
      }
      await harness.backend.deliveries.record([{ delivery: ended, attempts: [delivered] }])
      await harness.reopen()
      const found = await harness.backend.deliveries.find(parked.id)
      expect(found).toEqual({ ...ended, attempts: [failed, delivered] })
      expect(await harness.backend.deliveries.find('msg_none')).toBeUndefined()
    })

    test('have the response to a successful attempt, even after a retry', async () => {
      await using harness = await open()
      const { deliveries, replays } = harness.backend
      const parked = await recordDelivery(harness)
      const answered = attemptOf({ outcome: 'delivered', class: 'delivered', status: 200 })
      const webhooks = [partOf({ state: 'delivered', lastAttempt: lastOf(answered) })]
      const ended = {
        ...parked,
        state: 'delivered',
        attemptCount: 1,
        dueAt: null,
        webhooks,
      } as const
      await deliveries.record([{ delivery: ended, attempts: [answered] }])
      expect(await deliveries.find(parked.id)).toEqual({ ...ended, attempts: [answered] })
      expect((await harness.backend.reports.failures({})).groups).toEqual([])
      await replays.retry(parked.id, NOON)
      await harness.reopen()
      const found = await harness.backend.deliveries.find(parked.id)
      expect(found!.attempts).toEqual([answered])
    })

    test('store any response text, and errors without characters that a database cannot read', async () => {
      await using harness = await open()
      const { deliveries, reports } = harness.backend
      const parked = await recordDelivery(harness)
      const failed = attemptOf({ error: 'a\0b\uD800c\uF8FF0', body: '\uF8FF0 \uF8FF1 \0' })
      const waiting = retried(parked, failed, NOON + 9)
      await deliveries.record([{ delivery: waiting, attempts: [failed] }])
      const [attempt] = (await deliveries.find(parked.id))!.attempts
      const error = 'a\uFFFDb\uFFFDc\uFFFD0'
      expect(attempt).toEqual({ ...failed, error })
      expect((await reports.failures({})).groups).toMatchObject([{ lastError: error }])
    })

    test('accept a record twice, and ignore one that is older than the stored delivery', async () => {
      await using harness = await open()
      const { deliveries } = harness.backend
      const parked = await recordDelivery(harness)
      const failed = attemptOf({ number: 2 })
      const waiting = retried(parked, failed, NOON + 9)
      const record = { delivery: waiting, attempts: [failed] }
      await deliveries.record([record])
      await deliveries.record([record])
      await deliveries.record([{ delivery: { ...parked, attemptCount: 1 }, attempts: [] }])
      expect(await deliveries.find(parked.id)).toEqual({ ...waiting, attempts: [failed] })
    })

    test('ignore a record from before a manual retry, and are still handed out', async () => {
      await using harness = await open()
      const { deliveries, replays } = harness.backend
      const before = await recordDelivery(harness)
      expect(await claimDue(harness)).toEqual([before.id])
      await replays.retry(before.id, NOON)
      const retriedNow = await deliveries.find(before.id)
      expect(retriedNow!.firstDueAt).not.toBe(before.firstDueAt)
      const ended = { ...before, state: 'rejected', attemptCount: 5, dueAt: null } as const
      const webhooks = [partOf({ state: 'rejected' })]
      await deliveries.record([{ delivery: { ...ended, webhooks }, attempts: [] }])
      expect(await deliveries.find(before.id)).toEqual(retriedNow)
      const claim = await deliveries.claimUnsplit(9)
      expect(claim.deliveries.map(({ delivery }) => delivery.id)).toEqual([before.id])
    })

    test.each(['delivered', 'rejected', 'expired'] as const)(
      'that are %s never change to another state',
      async (state) => {
        await using harness = await open()
        const { deliveries } = harness.backend
        const kept = await recordDelivery(harness, { state, attemptCount: 1 })
        for (const other of ['pending', 'held', 'delivered', 'rejected', 'expired'] as const) {
          if (other === state) continue
          const later = {
            ...kept,
            state: other,
            attemptCount: 5,
            webhooks: [partOf({ state: other })],
          }
          await deliveries.record([{ delivery: later, attempts: [] }])
          expect(await deliveries.find(kept.id)).toMatchObject({ state, webhooks: kept.webhooks })
        }
        expect(await claimDue(harness)).toEqual([])
      },
    )

    test('that one webhook has accepted still record results from the other webhooks', async () => {
      await using harness = await open()
      const { deliveries } = harness.backend
      const waits = partOf({ url: OTHER_LANE.url })
      const accepted = partOf({ state: 'delivered' })
      const webhooks = [accepted, waits]
      const kept = await recordDelivery(harness, { state: 'delivered', dueAt: NOON, webhooks })
      const failed = attemptOf({ url: OTHER_LANE.url })
      const refused = {
        ...waits,
        state: 'not_retried',
        dueAt: null,
        lastAttempt: lastOf(failed),
      } as const
      const after = { ...kept, attemptCount: 1, dueAt: null, webhooks: [accepted, refused] }
      await deliveries.record([{ delivery: after, attempts: [failed] }])
      expect(await deliveries.find(kept.id)).toEqual({ ...after, attempts: [failed] })
      expect(await deliveries.waiting()).toEqual({ lanes: [], isUnsplit: false })
    })

    test('are listed newest first, by event, destination and state, page by page', async () => {
      await using harness = await open()
      const { deliveries } = harness.backend
      const all = [
        await recordDelivery(harness),
        await recordDelivery(harness),
        await recordDelivery(harness, { destinationId: 'dst_b' }),
      ]
      const webhooks = [partOf({ state: 'expired' })]
      const expired = {
        ...all[1]!,
        state: 'expired',
        attemptCount: 1,
        dueAt: null,
        webhooks,
      } as const
      await deliveries.record([{ delivery: expired, attempts: [] }])
      const list = async (filter: object): Promise<string[]> =>
        (await deliveries.list(filter, { limit: 10 })).data.map(({ id }) => id)
      expect(await list({ eventId: all[0]!.eventId })).toEqual([all[0]!.id])
      expect(await list({ destinationId: 'dst_b' })).toEqual([all[2]!.id])
      expect(await list({ state: 'expired' })).toEqual([all[1]!.id])
      const first = await deliveries.list({}, { limit: 2 })
      const second = await deliveries.list({}, { limit: 2, cursor: first.nextCursor! })
      const newestFirst = all
        .map(({ id }) => id)
        .toSorted()
        .toReversed()
      expect([...first.data, ...second.data].map(({ id }) => id)).toEqual(newestFirst)
      expect(second.nextCursor).toBeNull()
    })
  })
}
