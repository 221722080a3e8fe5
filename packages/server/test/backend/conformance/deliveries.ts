import type { Attempt, Delivery } from '@hookline/protocol'
import { describe, expect, test } from 'vitest'
import type { Claim } from '../../../src/backend/deliveries.ts'
import { NOON } from '../../harness/accepted-event.ts'
import type { OpenBackendHarness } from './backend-harness.ts'
import { recordDelivery } from './recorded-delivery.ts'

const url = 'https://example.com/'

function attempt(change: Partial<Attempt>): Attempt {
  return {
    id: 'att_1',
    round: 1,
    number: 1,
    url,
    startedAt: NOON,
    durationMs: 7,
    outcome: 'retry',
    class: 'http_5xx',
    status: 500,
    body: 'down',
    ...change,
  }
}

const ids = ({ deliveries }: Pick<Claim, 'deliveries'>): string[] =>
  deliveries.map(({ delivery }) => delivery.id)

export function deliveriesConformance(open: OpenBackendHarness): void {
  describe('deliveries', () => {
    test('hands out due deliveries with their event, the longest due first', async () => {
      await using harness = await open()
      const late = await recordDelivery(harness, { dueAt: NOON + 5 })
      const early = await recordDelivery(harness, { dueAt: NOON - 5 })
      await recordDelivery(harness, { dueAt: NOON + 1000 })
      await recordDelivery(harness, { destinationId: 'dst_b' })
      const claimed = await harness.backend.deliveries.claim('dst_a', { now: NOON + 10, limit: 9 })
      expect(ids(claimed)).toEqual([early.id, late.id])
      expect(claimed.deliveries[0]?.delivery).toEqual(early)
      expect(claimed.deliveries[0]?.event.id).toBe(early.eventId)
      expect(claimed.deliveries[0]?.event.event.properties).toEqual({ revenue: 39.95 })
    })

    test('gives a delivery one claim at a time, until it is recorded or released', async () => {
      await using harness = await open()
      const { deliveries } = harness.backend
      const due = [
        await recordDelivery(harness),
        await recordDelivery(harness),
        await recordDelivery(harness),
      ]
      const first = await deliveries.claim('dst_a', { now: NOON, limit: 2 })
      const second = await deliveries.claim('dst_a', { now: NOON, limit: 9 })
      expect([...ids(first), ...ids(second)].toSorted()).toEqual(due.map(({ id }) => id).toSorted())
      expect(ids(await deliveries.claim('dst_a', { now: NOON, limit: 9 }))).toEqual([])
      await deliveries.release([due[0]!.id, 'msg_unknown'])
      expect(ids(await deliveries.claim('dst_a', { now: NOON, limit: 9 }))).toEqual([due[0]!.id])
      const later: Delivery = { ...due[0]!, rounds: 1, dueAt: NOON + 50 }
      await deliveries.record([{ delivery: later, attempts: [] }])
      expect(ids(await deliveries.claim('dst_a', { now: NOON, limit: 9 }))).toEqual([])
      expect(ids(await deliveries.claim('dst_a', { now: NOON + 50, limit: 9 }))).toEqual([
        due[0]!.id,
      ])
    })

    test('a claim outlives a record that was called before it', async () => {
      await using harness = await open()
      const { deliveries } = harness.backend
      const later = await recordDelivery(harness, { dueAt: NOON + 1000 })
      const recording = deliveries.record([{ delivery: { ...later, dueAt: NOON }, attempts: [] }])
      await new Promise((resolve) => setImmediate(resolve))
      // Claims as soon as the record is durable, which may be before it resolves.
      let claimed: string[] = []
      while (claimed.length === 0) {
        claimed = ids(await deliveries.claim('dst_a', { now: NOON, limit: 9 }))
      }
      await recording
      expect(ids(await deliveries.claim('dst_a', { now: NOON, limit: 9 }))).toEqual([])
    })

    test('hands out claimed deliveries again after a restart', async () => {
      await using harness = await open()
      const due = await recordDelivery(harness)
      await harness.backend.deliveries.claim('dst_a', { now: NOON, limit: 9 })
      await harness.reopen()
      const again = await harness.backend.deliveries.claim('dst_a', { now: NOON, limit: 9 })
      expect(ids(again)).toEqual([due.id])
    })

    test('reports when the next unclaimed delivery of each destination is due', async () => {
      await using harness = await open()
      const { deliveries } = harness.backend
      await recordDelivery(harness, { dueAt: NOON + 7 })
      await recordDelivery(harness, { dueAt: NOON + 3 })
      await recordDelivery(harness, { destinationId: 'dst_b', dueAt: NOON })
      await recordDelivery(harness, { destinationId: 'dst_c', state: 'delivered', dueAt: null })
      await deliveries.claim('dst_b', { now: NOON, limit: 9 })
      const next = await deliveries.nextDue()
      expect([...next]).toEqual([['dst_a', NOON + 3]])
    })

    test('keeps state, progress and attempts across a restart', async () => {
      await using harness = await open()
      const parked = await recordDelivery(harness)
      const failed = attempt({})
      const retry = { url, outcome: 'retry', dueAt: NOON + 9, last: withoutBody(failed) } as const
      const waiting: Delivery = { ...parked, rounds: 1, dueAt: NOON + 9, webhooks: [retry] }
      await harness.backend.deliveries.record([{ delivery: waiting, attempts: [failed] }])
      const last = { ...attempt({ id: 'att_2', round: 2, number: 2, startedAt: NOON + 9 }) }
      const delivered: Attempt = {
        ...withoutBody(last),
        outcome: 'delivered',
        class: 'delivered',
        status: 200,
      }
      const progress = { url, outcome: 'delivered', last: delivered } as const
      const ended: Delivery = {
        ...waiting,
        state: 'delivered',
        rounds: 2,
        dueAt: null,
        webhooks: [progress],
      }
      await harness.backend.deliveries.record([{ delivery: ended, attempts: [delivered] }])
      await harness.reopen()
      const found = await harness.backend.deliveries.find(parked.id)
      expect(found).toEqual({ ...ended, attempts: [failed, delivered] })
      expect(await harness.backend.deliveries.find('msg_none')).toBeUndefined()
    })

    test('accepts a record twice, and ignores one that is older than the kept delivery', async () => {
      await using harness = await open()
      const { deliveries } = harness.backend
      const parked = await recordDelivery(harness)
      const waiting: Delivery = { ...parked, rounds: 2, dueAt: NOON + 9 }
      const record = { delivery: waiting, attempts: [attempt({})] }
      await deliveries.record([record])
      await deliveries.record([record])
      await deliveries.record([{ delivery: { ...parked, rounds: 1 }, attempts: [] }])
      expect(await deliveries.find(parked.id)).toEqual({ ...waiting, attempts: [attempt({})] })
    })

    test('makes held deliveries of a destination pending, due now, with a new window; a second call changes nothing', async () => {
      await using harness = await open()
      const held = await recordDelivery(harness, { state: 'held', rounds: 2 })
      const other = await recordDelivery(harness, { state: 'held', destinationId: 'dst_b' })
      for (let more = 0; more < 600; more += 1) await recordDelivery(harness, { state: 'held' })
      const { deliveries } = harness.backend
      expect(await deliveries.unhold('dst_a', NOON + 70)).toBe(601)
      expect(await deliveries.unhold('dst_a', NOON + 90)).toBe(0)
      const due = { state: 'pending', rounds: 2, firstDueAt: NOON + 70, dueAt: NOON + 70 }
      expect(await deliveries.find(held.id)).toMatchObject(due)
      expect((await deliveries.find(other.id))?.state).toBe('held')
    })

    test('never leaves a final state', async () => {
      await using harness = await open()
      const { deliveries } = harness.backend
      const parked = await recordDelivery(harness, { state: 'rejected', dueAt: null, rounds: 1 })
      await deliveries.record([
        { delivery: { ...parked, state: 'pending', rounds: 5, dueAt: NOON }, attempts: [] },
      ])
      expect((await deliveries.find(parked.id))?.state).toBe('rejected')
      expect(ids(await deliveries.claim('dst_a', { now: NOON, limit: 9 }))).toEqual([])
    })

    test('lists newest first, by event, destination and state, page by page', async () => {
      await using harness = await open()
      const { deliveries } = harness.backend
      const all = [
        await recordDelivery(harness),
        await recordDelivery(harness),
        await recordDelivery(harness, { destinationId: 'dst_b' }),
      ]
      await deliveries.record([
        { delivery: { ...all[1]!, state: 'expired', rounds: 1, dueAt: null }, attempts: [] },
      ])
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

function withoutBody({ body: _, ...rest }: Attempt): Omit<Attempt, 'headers' | 'body'> {
  return rest
}
