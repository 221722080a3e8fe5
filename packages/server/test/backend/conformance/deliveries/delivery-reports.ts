import {
  type AcceptedEvent,
  type Attempt,
  type Delivery,
  newId,
  timeOfId,
} from '@hookline/protocol'
import { describe, expect, test } from 'vitest'
import { deliveryId } from '../../../../src/delivery/sending/webhook-request.ts'
import { acceptedEvent, NOON } from '@hookline/testing/records/accepted-event'
import type { BackendHarness, OpenBackendHarness } from '../backend-harness.ts'
import {
  attemptOf,
  claimDue,
  deliveryOf,
  LANE,
  lastOf,
  OTHER_LANE,
  partOf,
  recordDelivery,
} from './recorded-delivery.ts'

const FAILED = { outcome: 'retry', class: 'http_5xx', status: 503 } as const

/** Records a delivery of a new event with these last attempts, one for each webhook. */
async function recorded(
  harness: BackendHarness,
  change: Partial<Delivery> & { readonly at?: number } = {},
  ...answers: readonly Pick<Attempt, 'outcome' | 'class' | 'status' | 'error'>[]
): Promise<Delivery> {
  const { at = NOON, ...given } = change
  const isOver = given.state !== undefined && given.state !== 'pending'
  const webhooks = answers.map((answer, index) => {
    const url = `https://${index}.example/`
    const { status: _, ...failed } = attemptOf({ id: newId('att', at), url, startedAt: at + index })
    const state = answer.outcome === 'retry' && !isOver ? 'pending' : 'rejected'
    const lastAttempt = { ...lastOf(failed), durationMs: 5, ...answer }
    return partOf({ url, state: answer.outcome === 'delivered' ? 'delivered' : state, lastAttempt })
  })
  const tried = answers.length > 0 ? { attemptCount: 1, webhooks } : {}
  return recordDelivery(harness, { firstDueAt: at, ...tried, ...given }, acceptedEvent({ at }))
}

export function deliveryReportsConformance(open: OpenBackendHarness): void {
  describe('failures', () => {
    test('are grouped by destination, class and status, largest group first', async () => {
      await using harness = await open()
      await recorded(harness, { at: NOON }, FAILED)
      const newest = await recorded(
        harness,
        { at: NOON + 10, state: 'expired', dueAt: null },
        FAILED,
      )
      const refused = await recorded(
        harness,
        { state: 'rejected', dueAt: null, destinationId: 'dst_b' },
        { outcome: 'rejected', class: 'dns_failed', error: 'no such host' },
      )
      expect(await harness.backend.reports.failures({})).toEqual({
        isComplete: true,
        groups: [
          {
            destinationId: 'dst_a',
            class: 'http_5xx',
            status: 503,
            count: 2,
            isComplete: true,
            firstSeenAt: NOON,
            lastSeenAt: NOON + 10,
            sampleDeliveryId: newest.id,
            lastError: null,
          },
          {
            destinationId: 'dst_b',
            class: 'dns_failed',
            status: null,
            count: 1,
            isComplete: true,
            firstSeenAt: NOON,
            lastSeenAt: NOON,
            sampleDeliveryId: refused.id,
            lastError: 'no such host',
          },
        ],
      })
      const { groups } = await harness.backend.reports.failures({ destinationId: 'dst_b' })
      expect(groups.map(({ destinationId }) => destinationId)).toEqual(['dst_b'])
    })

    test('have the newest delivery with a stored response as their sample', async () => {
      await using harness = await open()
      const kept = await recorded(harness, {}, FAILED)
      const attempts = [attemptOf({ url: kept.webhooks[0]!.url, body: 'down' })]
      await harness.backend.deliveries.record([{ delivery: kept, attempts }])
      await recorded(harness, { at: NOON + 10 }, FAILED)
      const { groups } = await harness.backend.reports.failures({})
      expect(groups.map(({ count, sampleDeliveryId }) => [count, sampleDeliveryId])).toEqual([
        [2, kept.id],
      ])
    })

    test('beyond the newest 2,000 of a destination are not counted', async () => {
      await using harness = await open()
      const { backend } = harness
      const events = Array.from({ length: 2_001 }, (_, index) =>
        acceptedEvent({ at: NOON + index }),
      )
      await backend.log.append(events)
      await harness.settle()
      const record = (some: readonly AcceptedEvent[]): Promise<void> =>
        backend.deliveries.record(
          some.map((event) => {
            const lastAttempt = { ...lastOf(attemptOf()), ...FAILED }
            const webhooks = [partOf({ lastAttempt })]
            return { delivery: deliveryOf(event, { attemptCount: 1, webhooks }), attempts: [] }
          }),
        )
      await record(events.slice(0, 2_000))
      expect(await backend.reports.failures({})).toMatchObject({
        isComplete: true,
        groups: [{ count: 2_000, isComplete: true }],
      })
      await record(events.slice(2_000))
      expect(await backend.reports.failures({})).toMatchObject({
        isComplete: false,
        groups: [
          {
            count: 2_000,
            isComplete: false,
            sampleDeliveryId: deliveryId(events[2_000]!.id, 'dst_a'),
          },
        ],
      })
    })

    test('include deliveries that ended without an attempt, grouped by class', async () => {
      await using harness = await open()
      const { backend } = harness
      const at = NOON - 5_000
      const ended = { state: 'expired', dueAt: null, firstDueAt: NOON } as const
      const oldest = await recorded(harness, { ...ended, at })
      const expired = await recorded(harness, { ...ended, at: NOON - 10 })
      const stopped = await recorded(harness, { at: NOON - 20 })
      await backend.quarantine.add([{ id: stopped.id, reason: 'a bug', at: NOON + 7 }])
      const both = await recorded(harness, { at: NOON - 30 }, FAILED)
      await backend.quarantine.add([{ id: both.id, reason: 'corrupted', at: NOON + 9 }])
      const { groups } = await backend.reports.failures({})
      const shared = { destinationId: 'dst_a', status: null, isComplete: true }
      expect(groups).toEqual([
        {
          ...shared,
          class: 'quarantined',
          count: 2,
          firstSeenAt: NOON - 30,
          lastSeenAt: NOON + 9,
          sampleDeliveryId: stopped.id,
          lastError: 'a bug',
        },
        {
          ...shared,
          class: 'not_attempted',
          count: 2,
          firstSeenAt: at,
          lastSeenAt: NOON,
          sampleDeliveryId: expired.id,
          lastError: null,
        },
        expect.objectContaining({ class: 'http_5xx', count: 1, sampleDeliveryId: both.id }),
      ])
      const ids = async (kind: 'not_attempted' | 'quarantined'): Promise<string[]> =>
        (await backend.deliveries.list({ class: kind }, { limit: 9 })).data.map(({ id }) => id)
      expect(await ids('not_attempted')).toEqual([expired.id, oldest.id])
      expect(await ids('quarantined')).toEqual([stopped.id, both.id])
    })

    test('begin when the oldest event was received, even after a manual retry', async () => {
      await using harness = await open()
      const at = NOON - 3_600_000
      await recorded(harness, { at, firstDueAt: NOON }, FAILED)
      const { groups } = await harness.backend.reports.failures({})
      expect(groups.map(({ firstSeenAt }) => firstSeenAt)).toEqual([at])
    })

    test('exclude deliveries that were delivered or declined, are still waiting for their first attempt, or have only removed parts', async () => {
      await using harness = await open()
      const declined = { outcome: 'declined', class: 'transform_declined' } as const
      // After a failed attempt, the transform was changed.
      await recorded(harness, { state: 'declined', dueAt: null }, FAILED, declined)
      const delivered = { outcome: 'delivered', class: 'delivered', status: 200 } as const
      await recorded(harness, { state: 'delivered', dueAt: null }, FAILED, delivered)
      await recorded(harness)
      await recorded(harness, { state: 'held', dueAt: null })
      await recorded(harness, {
        state: 'rejected',
        dueAt: null,
        webhooks: [partOf({ state: 'removed' })],
      })
      expect((await harness.backend.reports.failures({})).groups).toEqual([])
    })

    test('count a delivery once in each group, even if several of its webhooks failed in the same way', async () => {
      await using harness = await open()
      const timeout = { outcome: 'retry', class: 'timeout' } as const
      await recorded(harness, {}, FAILED, FAILED, timeout)
      const { groups } = await harness.backend.reports.failures({})
      expect(groups.map((group) => [group.class, group.count])).toEqual([
        ['timeout', 1],
        ['http_5xx', 1],
      ])
    })

    test('are reported as incomplete if only the newest of a destination were counted', async () => {
      await using harness = await open()
      const [template] = [await recorded(harness, {}, FAILED)]
      const many = Array.from({ length: 2_000 }, () => ({
        delivery: { ...template, id: deliveryId(newId('evt', NOON + 1), 'dst_a') },
        attempts: [],
      }))
      await harness.backend.deliveries.record(many)
      const { groups, isComplete } = await harness.backend.reports.failures({})
      expect(isComplete).toBe(false)
      expect(groups[0]!.count).toBeGreaterThanOrEqual(2_000)
    })
  })

  describe('the waiting parts of a lane', () => {
    test('are counted, including claimed ones, with the oldest pending one', async () => {
      await using harness = await open()
      const { deliveries, reports } = harness.backend
      await recorded(harness, { at: NOON + 5 })
      const resumed = { firstDueAt: NOON + 50, dueAt: NOON + 99 }
      const oldest = await recorded(harness, { at: NOON + 1, ...resumed })
      await recorded(harness, { at: NOON, state: 'expired', dueAt: null })
      await recorded(harness, { at: NOON, state: 'held', dueAt: null })
      await recorded(harness, { at: NOON, destinationId: 'dst_b' })
      const webhooks = [partOf({ state: 'delivered' }), partOf({ url: OTHER_LANE.url })]
      const delivered = await recorded(harness, { state: 'delivered', dueAt: NOON, webhooks })
      const oldestAt = timeOfId(oldest.eventId)
      const counts = { pending: 2, held: 1, oldestAt, firstDueAt: NOON + 5, dueAt: NOON }
      expect(await reports.waitingIn(LANE)).toEqual(counts)
      expect(await claimDue(harness)).toHaveLength(1)
      await deliveries.claim(LANE, { due: 'held', limit: 9 })
      expect(await reports.waitingIn(LANE)).toEqual(counts)
      expect(await reports.waitingIn(OTHER_LANE)).toEqual({
        pending: 1,
        held: 0,
        oldestAt: timeOfId(delivered.eventId),
        firstDueAt: NOON,
        dueAt: NOON,
      })
    })

    test('have no age if none are pending', async () => {
      await using harness = await open()
      const { reports } = harness.backend
      const none = { oldestAt: undefined, firstDueAt: undefined, dueAt: undefined }
      const nothing = { pending: 0, held: 0, ...none }
      expect(await reports.waitingIn(LANE)).toEqual(nothing)
      await recorded(harness, { state: 'held' })
      expect(await reports.waitingIn(LANE)).toEqual({ ...nothing, held: 1 })
      expect(await reports.waitingIn(OTHER_LANE)).toEqual(nothing)
    })
  })

  describe('the list of deliveries', () => {
    test('is filtered by whether a webhook is waiting, even if another has the event', async () => {
      await using harness = await open()
      const pending = await recorded(harness, { at: NOON })
      const webhooks = [partOf({ state: 'delivered' }), partOf({ url: OTHER_LANE.url })]
      const change = { at: NOON + 1, state: 'delivered', dueAt: NOON, webhooks } as const
      const delivered = await recorded(harness, change)
      const ended = await recorded(harness, {
        at: NOON + 2,
        state: 'delivered',
        dueAt: null,
        webhooks: webhooks.slice(0, 1),
      })
      const ids = async (waiting: boolean): Promise<string[]> =>
        (await harness.backend.deliveries.list({ waiting }, { limit: 9 })).data.map(({ id }) => id)
      expect(await ids(true)).toEqual([delivered.id, pending.id])
      expect(await ids(false)).toEqual([ended.id])
    })

    test('is filtered by the last attempt to a webhook and by time', async () => {
      await using harness = await open()
      const a = await recorded(harness, { at: NOON }, FAILED)
      const b = await recorded(harness, { at: NOON + 10 }, { ...FAILED, status: 500 })
      const c = await recorded(harness, { at: NOON + 20 }, { outcome: 'retry', class: 'timeout' })
      const ids = async (filter: object): Promise<string[]> =>
        (await harness.backend.deliveries.list(filter, { limit: 9 })).data.map(({ id }) => id)
      expect(await ids({ class: 'http_5xx' })).toEqual([b.id, a.id])
      expect(await ids({ class: 'http_5xx', status: 503 })).toEqual([a.id])
      expect(await ids({ class: 'timeout', status: 503 })).toEqual([])
      expect(await ids({ from: NOON + 10 })).toEqual([c.id, b.id])
      expect(await ids({ from: NOON, to: NOON + 10 })).toEqual([a.id])
    })

    test('returns every delivery once, page by page, even if few match the filter', async () => {
      await using harness = await open()
      const wanted = await recorded(harness, { at: NOON }, { outcome: 'retry', class: 'timeout' })
      const template = await recorded(harness, { at: NOON + 1 }, FAILED)
      const many = Array.from({ length: 60_000 }, (_, index) => ({
        delivery: { ...template, id: deliveryId(newId('evt', NOON + 2 + index), 'dst_a') },
        attempts: [],
      }))
      await harness.backend.deliveries.record(many)
      const found: string[] = []
      let cursor: string | undefined
      let pages = 0
      do {
        const filter = { class: 'timeout' } as const
        const page = await harness.backend.deliveries.list(filter, {
          limit: 2,
          ...(cursor !== undefined && { cursor }),
        })
        found.push(...page.data.map(({ id }) => id))
        cursor = page.nextCursor ?? undefined
        pages += 1
      } while (cursor !== undefined)
      expect(found).toEqual([wanted.id])
      expect(pages).toBe(2)
    })
  })
}
