import { type Delivery, type DeliveryState, formatTimestamp } from '@hookline/protocol'
import { describe, expect, test } from 'vitest'
import type { ReplaySelection } from '../../../../src/backend/replays.ts'
import { acceptedEvent, NOON } from '@hookline/testing/records/accepted-event'
import { newReplay } from '@hookline/testing/records/new-replay'
import type { BackendHarness, OpenBackendHarness } from '../backend-harness.ts'
import { attemptOf, lastOf, OTHER_LANE, partOf, recordDelivery } from './recorded-delivery.ts'

/** Selects all matching events, slice by slice. */
async function selected(
  { backend }: BackendHarness,
  change: Partial<ReplaySelection> = {},
  options = { scan: 100, limit: 100 },
): Promise<string[]> {
  const found: string[] = []
  let cursor: string | null = null
  const { selection: wanted } = newReplay({ selection: { to: NOON + 1000, ...change } })
  do {
    const slice = await backend.replays.select(wanted, { ...options, cursor })
    found.push(...slice.eventIds)
    cursor = slice.cursor
  } while (cursor !== null)
  return found
}

const recordAt = (harness: BackendHarness, at: number, state: DeliveryState): Promise<Delivery> =>
  recordDelivery(harness, { state }, acceptedEvent({ at, receivedAt: formatTimestamp(at) }))

export function replaysConformance(open: OpenBackendHarness): void {
  describe('replays', () => {
    test('are stored, found and listed, newest first', async () => {
      await using harness = await open()
      const jobs = [
        newReplay({ selection: { types: ['track'], text: 'x' }, ratePerSecond: 5 }),
        newReplay(),
        newReplay(),
      ].toSorted((a, b) => (a.id < b.id ? 1 : -1))
      for (const job of jobs) await harness.backend.replays.create(job)
      await harness.reopen()
      const { replays } = harness.backend
      expect(await replays.find(jobs[0]!.id)).toEqual(jobs[0])
      expect(await replays.find('rpl_none')).toBeUndefined()
      const first = await replays.list({}, { limit: 2 })
      const second = await replays.list({}, { limit: 2, cursor: first.nextCursor! })
      expect([...first.data, ...second.data]).toEqual(jobs)
      await replays.cancel(jobs[1]!.id, NOON + 3)
      expect(await replays.find(jobs[1]!.id)).toMatchObject({
        state: 'cancelled',
        finishedAt: NOON + 3,
      })
      const stillOpen = await replays.list({ isOpen: true }, { limit: 9 })
      expect(stillOpen.data.map(({ id }) => id)).toEqual([jobs[0]!.id, jobs[2]!.id])
    })

    test('select by destination, state, time, type and text, in slices of any size', async () => {
      await using harness = await open()
      const rejected = await recordAt(harness, NOON, 'rejected')
      const expired = await recordAt(harness, NOON + 10, 'expired')
      const delivered = await recordAt(harness, NOON + 20, 'delivered')
      for (const state of ['pending', 'held'] as const) await recordAt(harness, NOON, state)
      await recordDelivery(harness, { state: 'rejected', destinationId: 'dst_b' })
      const page = acceptedEvent({ type: 'page', name: 'Ünique "quoted"', at: NOON + 30 })
      await recordDelivery(harness, { state: 'rejected' }, page)
      const all = [rejected.eventId, expired.eventId, page.id]
      for (const [scan, limit] of [
        [100, 100],
        [1, 1],
        [2, 1],
        [3, 7],
      ] as const) {
        expect(await selected(harness, {}, { scan, limit })).toEqual(all)
      }
      expect(await selected(harness, { states: ['delivered'] })).toEqual([delivered.eventId])
      expect(await selected(harness, { from: NOON + 10 })).toEqual(all.slice(1))
      expect(await selected(harness, { to: NOON + 10 })).toEqual(all.slice(0, 1))
      expect(await selected(harness, { types: ['page', 'alias'] })).toEqual([page.id])
      expect(await selected(harness, { text: 'üNIQUE "QUO' })).toEqual([page.id])
      expect(await selected(harness, { text: 'nowhere' })).toEqual([])
    })

    test('select events declined by a disabled destination if they have had no delivery since', async () => {
      await using harness = await open()
      const { events, log } = harness.backend
      const [off, excluded, since] = [acceptedEvent(), acceptedEvent(), acceptedEvent()]
      await log.append([off, excluded])
      await harness.settle()
      await recordDelivery(harness, { state: 'delivered' }, since)
      const why = (reason: 'destination_disabled' | 'integrations') => [
        { destinationId: 'dst_a', reason },
        { destinationId: 'dst_0', reason },
      ]
      await events.archive([
        { event: off, declined: why('destination_disabled') },
        { event: since, declined: why('destination_disabled') },
        { event: excluded, declined: why('integrations') },
      ])
      for (const scan of [1, 2, 100]) {
        const found = await selected(harness, { includeDeclined: true }, { scan, limit: 100 })
        expect(found).toEqual([off.id])
      }
    })

    test('apply a step atomically, advance the cursor, and refuse a step from another cursor', async () => {
      await using harness = await open()
      const { replays } = harness.backend
      const ended = await recordAt(harness, NOON, 'rejected')
      const held = await recordAt(harness, NOON, 'held')
      const job = newReplay()
      await replays.create(job)
      const step = {
        deliveries: [ended, held, { id: 'msg_gone', eventId: 'evt_gone' }],
        scanned: 7,
        reachedAt: NOON,
        cursor: ended.id,
        now: NOON + 50,
      }
      const after = await replays.advance(job, step)
      expect(after).toMatchObject({
        state: 'running',
        scanned: 7,
        requeued: 1,
        reachedAt: NOON,
        cursor: ended.id,
      })
      await harness.reopen()
      const again = harness.backend
      expect(await again.deliveries.find(ended.id)).toMatchObject({
        state: 'pending',
        attemptCount: 0,
        firstDueAt: NOON + 50,
        dueAt: NOON + 50,
        replayId: job.id,
      })
      expect((await again.deliveries.find(held.id))?.state).toBe('held')
      expect(await again.replays.advance(job, step)).toBeUndefined()
      const last = await again.replays.advance(after!, { ...step, deliveries: [], cursor: null })
      expect(last).toMatchObject({ state: 'finished', finishedAt: NOON + 50, scanned: 14 })
      expect(await again.replays.advance(last!, step)).toBeUndefined()
    })

    test('count the outcomes of their deliveries, except declined and manually retried ones', async () => {
      await using harness = await open()
      const { deliveries, replays } = harness.backend
      const job = newReplay()
      await replays.create(job)
      const ended = [0, 1, 2, 3].map((at) => recordAt(harness, NOON + at, 'rejected'))
      const [good, bad, late, unwanted] = await Promise.all(ended)
      const requeued = [good!, bad!, late!, unwanted!]
      const step = { deliveries: requeued, scanned: 4, reachedAt: NOON, now: NOON }
      await replays.advance(job, { ...step, cursor: null })
      type Outcome = 'delivered' | 'declined' | 'held' | 'expired'
      const record = async (id: string, state: Outcome): Promise<void> => {
        const change = { state, attemptCount: 1, dueAt: null, webhooks: [partOf({ state })] }
        const delivery = { ...(await deliveries.find(id))!, ...change }
        await deliveries.record([{ delivery, attempts: [] }])
      }
      await record(good!.id, 'delivered')
      await record(bad!.id, 'held')
      await record(unwanted!.id, 'declined')
      expect(await replays.find(job.id)).toMatchObject({ requeued: 4, delivered: 1, failed: 0 })
      await record(bad!.id, 'expired')
      await harness.reopen()
      const again = harness.backend
      expect(await again.replays.find(job.id)).toMatchObject({ delivered: 1, failed: 1 })
      await again.replays.retry(late!.id, NOON)
      const retried = (await again.deliveries.find(late!.id))!
      const outcome = { ...retried, state: 'delivered' as const, attemptCount: 1, dueAt: null }
      await again.deliveries.record([{ delivery: outcome, attempts: [] }])
      const { data } = await again.replays.list({}, { limit: 9 })
      expect(data).toMatchObject([{ id: job.id, delivered: 1, failed: 1 }])
    })

    test('count a quarantined delivery as failed once', async () => {
      await using harness = await open()
      const { quarantine, replays } = harness.backend
      const job = newReplay()
      await replays.create(job)
      const ended = await recordAt(harness, NOON, 'rejected')
      const step = { deliveries: [ended], scanned: 1, reachedAt: NOON, cursor: null, now: NOON }
      await replays.advance(job, step)
      const item = { id: ended.id, reason: 'x', at: NOON }
      await quarantine.add([item, item])
      await quarantine.add([item])
      expect(await replays.find(job.id)).toMatchObject({ delivered: 0, failed: 1 })
    })

    test('refuse steps once cancelled', async () => {
      await using harness = await open()
      const { deliveries, replays } = harness.backend
      const ended = await recordAt(harness, NOON, 'rejected')
      const job = newReplay()
      await replays.create(job)
      await replays.cancel(job.id, NOON)
      const step = { deliveries: [ended], scanned: 1, reachedAt: NOON, cursor: null, now: NOON }
      expect(await replays.advance(job, step)).toBeUndefined()
      expect((await deliveries.find(ended.id))?.state).toBe('rejected')
    })

    test('retry only the webhooks that did not accept a delivery, and keep the last attempts of a delivered one', async () => {
      await using harness = await open()
      const { deliveries, replays } = harness.backend
      const accepted = attemptOf({ outcome: 'delivered', class: 'delivered' })
      const { body: _, ...kept } = accepted
      const webhooks = [
        partOf({ state: 'delivered', lastAttempt: lastOf(accepted) }),
        partOf({ state: 'rejected', url: OTHER_LANE.url }),
      ]
      const rejected = await recordDelivery(harness, {
        state: 'rejected',
        attemptCount: 1,
        webhooks,
      })
      const delivered = await recordDelivery(harness, {
        state: 'delivered',
        attemptCount: 1,
        webhooks,
      })
      for (const { id } of [rejected, delivered]) expect(await replays.retry(id, NOON)).toBe(true)
      expect(await deliveries.find(rejected.id)).toMatchObject({
        webhooks: webhooks.slice(0, 1),
        attempts: [kept],
      })
      expect(await deliveries.find(delivered.id)).toMatchObject({ webhooks: [], attempts: [kept] })
    })

    test('retry one delivery in any state except held', async () => {
      await using harness = await open()
      const { deliveries, quarantine, replays, upkeep } = harness.backend
      for (const state of ['pending', 'delivered', 'rejected', 'expired'] as const) {
        const delivery = await recordDelivery(harness, { state, attemptCount: 3 })
        expect(await replays.retry(delivery.id, NOON + 9)).toBe(true)
        const { replayId, ...retried } = (await deliveries.find(delivery.id))!
        expect(replayId).toBeUndefined()
        expect(retried).toMatchObject({ state: 'pending', attemptCount: 0, dueAt: NOON + 9 })
      }
      const aside = await recordDelivery(harness)
      await quarantine.add([{ id: aside.id, reason: 'x', at: NOON }])
      expect(await replays.retry(aside.id, NOON)).toBe(true)
      expect((await upkeep.backlog()).quarantined).toBe(0)
      const held = await recordDelivery(harness, { state: 'held' })
      expect(await replays.retry(held.id, NOON)).toBe(false)
      expect(await replays.retry('msg_none', NOON)).toBe(false)
    })
  })
}
