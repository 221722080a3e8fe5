import type { Delivery, DeliveryPart, DeliveryState } from '@hookline/protocol'
import { describe, expect, test } from 'vitest'
import type { Backend } from '../../../../src/backend/backend.ts'
import type { LaneId } from '../../../../src/backend/deliveries.ts'
import type { NewNotice } from '../../../../src/backend/notices.ts'
import { noticeId } from '../../../../src/deletions/deletions.ts'
import { NOON } from '@hookline/testing/records/accepted-event'
import type { OpenBackendHarness } from '../backend-harness.ts'
import { user } from '../profiles/profile-changes.ts'
import {
  attemptOf,
  claimDue,
  idsOf,
  LANE,
  lastOf,
  OTHER_LANE,
  partOf,
} from '../deliveries/recorded-delivery.ts'

const DELETION = 'del_01kf0v8w007000000000000000'

function notice(change: Partial<NewNotice> = {}): NewNotice {
  const { destinationId = 'dst_a', subject = user('u1') } = change
  return {
    id: noticeId(DELETION, destinationId, subject),
    deletionId: DELETION,
    sourceId: 'src_a',
    destinationId,
    subject,
    createdAt: NOON,
    dueAt: NOON,
    ...change,
  }
}

const delivered = lastOf(
  attemptOf({
    id: 'att_2',
    number: 2,
    outcome: 'delivered',
    class: 'delivered',
    status: 200,
    startedAt: NOON + 10,
  }),
)

/** Creates notices, gives each an unclaimed part for every URL, and returns them. */
async function createSplit(
  { notices, noticeQueue }: Backend,
  created: readonly NewNotice[],
  urls: readonly string[] = [LANE.url],
): Promise<Delivery[]> {
  await notices.create(created)
  const claim = await noticeQueue.claimUnsplit(created.length)
  const webhooks = urls.map((url) => partOf({ url }))
  const split = claim.deliveries.map(({ delivery }) => ({ ...delivery, webhooks }))
  await noticeQueue.record(split.map((delivery) => ({ delivery, attempts: [] })))
  return split
}

/** The notice with its only part in this state. */
function withPart(
  kept: Delivery,
  change: Partial<DeliveryPart> & { readonly state: Exclude<DeliveryState, 'quarantined'> },
): Delivery {
  const part = partOf(change)
  const attemptCount = part.lastAttempt?.number ?? kept.attemptCount
  return { ...kept, state: change.state, attemptCount, dueAt: part.dueAt, webhooks: [part] }
}

export function noticesConformance(open: OpenBackendHarness): void {
  describe('notices', () => {
    test('are first handed out without parts, with the deleted user, to one claim at a time', async () => {
      await using harness = await open()
      await harness.backend.notices.create([notice(), notice({ destinationId: 'dst_b' })])
      await harness.reopen()
      const { noticeQueue } = harness.backend
      expect(await noticeQueue.waiting()).toEqual({ lanes: [], isUnsplit: true })
      const claim = await noticeQueue.claimUnsplit(9)
      const timestamp = '2026-01-15T12:00:00.000Z'
      expect(claim.deliveries).toHaveLength(2)
      expect(claim.deliveries).toContainEqual({
        delivery: {
          id: notice().id,
          eventId: DELETION,
          destinationId: 'dst_a',
          state: 'pending',
          attemptCount: 0,
          firstDueAt: NOON,
          dueAt: NOON,
          webhooks: [],
        },
        event: {
          id: DELETION,
          sourceId: 'src_a',
          type: 'delete',
          userId: 'u1',
          anonymousId: undefined,
          previousId: undefined,
          receivedAt: NOON,
          body: Buffer.from(JSON.stringify({ type: 'delete', userId: 'u1', timestamp })),
        },
      })
      expect(idsOf(await noticeQueue.claimUnsplit(9))).toEqual([])
      expect(await noticeQueue.waiting()).toEqual({ lanes: [], isUnsplit: false })
      await noticeQueue.release([notice().id])
      expect(idsOf(await noticeQueue.claimUnsplit(9))).toEqual([notice().id])
    })

    test('are handed out in the lane of each webhook, to one claim at a time, and never as deliveries', async () => {
      await using harness = await open()
      const urls = [LANE.url, OTHER_LANE.url]
      const [{ id } = notice()] = await createSplit(harness.backend, [notice()], urls)
      await harness.reopen()
      const { deliveries, noticeQueue, reports } = harness.backend
      const claim = async (lane: LaneId): Promise<string[]> =>
        idsOf(await noticeQueue.claim(lane, { due: NOON, limit: 9 }))
      const { lanes, isUnsplit } = await noticeQueue.waiting()
      expect([isUnsplit, lanes.length]).toEqual([false, 2])
      for (const lane of [LANE, OTHER_LANE])
        expect(lanes).toContainEqual({ ...lane, dueAt: NOON, isHeld: false })
      expect(await deliveries.waiting()).toEqual({ lanes: [], isUnsplit: false })
      expect(await claimDue(harness)).toEqual([])
      expect(await reports.waitingIn(LANE)).toMatchObject({ pending: 0 })
      expect([await claim(LANE), await claim(OTHER_LANE), await claim(LANE)]).toEqual([
        [id],
        [id],
        [],
      ])
      await noticeQueue.release([id], OTHER_LANE)
      expect([await claim(LANE), await claim(OTHER_LANE)]).toEqual([[], [id]])
    })

    test('created twice are stored once, in any state', async () => {
      await using harness = await open()
      const { notices, noticeQueue } = harness.backend
      const [split] = await createSplit(harness.backend, [notice()])
      const ended = { ...withPart(split!, { state: 'rejected' }), attemptCount: 1 }
      await noticeQueue.record([{ delivery: ended, attempts: [] }])
      await notices.create([notice({ dueAt: NOON + 9 })])
      const { data } = await notices.list(DELETION, { limit: 9 })
      expect(data.map(({ state }) => state)).toEqual(['rejected'])
      expect(await noticeQueue.waiting()).toEqual({ lanes: [], isUnsplit: false })
    })

    test('store and count every attempt, and never leave a final state', async () => {
      await using harness = await open()
      const { noticeQueue } = harness.backend
      const both = [notice(), notice({ subject: user('u2') })]
      const [delivery] = await createSplit(harness.backend, both)
      const failed = attemptOf()
      const waiting = withPart(delivery!, {
        state: 'pending',
        dueAt: NOON + 5,
        lastAttempt: lastOf(failed),
      })
      await noticeQueue.record([{ delivery: waiting, attempts: [failed] }])
      const done = withPart(delivery!, { state: 'delivered', lastAttempt: delivered })
      await noticeQueue.record([{ delivery: done, attempts: [delivered] }])
      await noticeQueue.record([{ delivery: { ...waiting, attemptCount: 3 }, attempts: [] }])
      const expired = withPart(delivery!, { state: 'expired' })
      await noticeQueue.record([{ delivery: { ...expired, attemptCount: 3 }, attempts: [] }])
      await harness.reopen()
      const { data } = await harness.backend.notices.list(DELETION, { limit: 9 })
      const found = data.find(({ id }) => id === delivery!.id)
      expect(found).toEqual({
        ...done,
        sourceId: 'src_a',
        subject: found?.subject,
        attempts: [failed, delivered],
      })
      expect(await harness.backend.notices.progress(DELETION)).toEqual([
        {
          sourceId: 'src_a',
          destinationId: 'dst_a',
          counts: { waiting: 1, delivered: 1, failed: 0 },
          attempts: 2,
          notifiedAt: NOON + 17,
        },
      ])
    })

    test('that one webhook has accepted still wait for the other webhooks, whose results are recorded', async () => {
      await using harness = await open()
      const { notices, noticeQueue } = harness.backend
      const urls = [LANE.url, OTHER_LANE.url]
      const [split] = await createSplit(harness.backend, [notice()], urls)
      const accepted = partOf({ state: 'delivered', lastAttempt: delivered })
      const waits = partOf({ url: OTHER_LANE.url })
      const done: Delivery = {
        ...split!,
        state: 'delivered',
        attemptCount: 2,
        webhooks: [accepted, waits],
      }
      await noticeQueue.record([{ delivery: done, attempts: [delivered] }])
      expect((await noticeQueue.waiting()).lanes).toEqual([
        { ...OTHER_LANE, dueAt: NOON, isHeld: false },
      ])
      await noticeQueue.claim(OTHER_LANE, { due: NOON, limit: 9 })
      const failed = attemptOf({ url: OTHER_LANE.url, body: '\uF8FF0 \uF8FF1 \0' })
      const refused = {
        ...waits,
        state: 'not_retried',
        dueAt: null,
        lastAttempt: lastOf(failed),
      } as const
      const after = { ...done, dueAt: null, webhooks: [accepted, refused] }
      await noticeQueue.record([{ delivery: after, attempts: [failed] }])
      const { data } = await notices.list(DELETION, { limit: 9 })
      expect(data[0]).toMatchObject({ ...after, attempts: [failed, delivered] })
      expect(await noticeQueue.waiting()).toEqual({ lanes: [], isUnsplit: false })
    })

    test('are held and counted as held until they are due again', async () => {
      await using harness = await open()
      const { noticeQueue } = harness.backend
      const both = [notice(), notice({ destinationId: 'dst_b' })]
      const split = await createSplit(harness.backend, both)
      const first = split.find(({ destinationId }) => destinationId === 'dst_a')!
      const held = withPart(first, { state: 'held' })
      await noticeQueue.record([{ delivery: held, attempts: [] }])
      expect((await noticeQueue.backlog()).waiting).toEqual([
        { destinationId: 'dst_a', state: 'held', count: 1 },
        { destinationId: 'dst_b', state: 'pending', count: 1 },
      ])
      const claimHeld = async (lane: LaneId): Promise<string[]> =>
        idsOf(await noticeQueue.claim(lane, { due: 'held', limit: 9 }))
      expect(await claimHeld({ ...LANE, destinationId: 'dst_b' })).toEqual([])
      expect(await claimHeld(LANE)).toEqual([first.id])
      const resumed = withPart(held, { state: 'pending', firstDueAt: NOON + 5, dueAt: NOON + 5 })
      await noticeQueue.record([{ delivery: resumed, attempts: [] }])
      const { lanes } = await noticeQueue.waiting()
      expect(lanes).toHaveLength(2)
      expect(lanes).toContainEqual({ ...LANE, dueAt: NOON + 5, isHeld: false })
    })

    test('in quarantine are not handed out again and count as failed', async () => {
      await using harness = await open()
      const { notices, noticeQueue } = harness.backend
      const split = await createSplit(harness.backend, [notice(), notice({ subject: user('u2') })])
      await noticeQueue.claim(LANE, { due: NOON, limit: 1 })
      const items = split.map(({ id }) => ({ id, reason: 'A bug.', at: NOON }))
      await noticeQueue.add(items)
      expect((await noticeQueue.claim(LANE, { due: NOON, limit: 9 })).deliveries).toEqual([])
      expect(await noticeQueue.waiting()).toEqual({ lanes: [], isUnsplit: false })
      const [progress] = await notices.progress(DELETION)
      expect(progress?.counts).toEqual({ waiting: 0, delivered: 0, failed: 2 })
    })

    test('in quarantine are not removed by retention', async () => {
      await using harness = await open()
      const { noticeQueue, upkeep } = harness.backend
      const [split] = await createSplit(harness.backend, [notice()])
      await noticeQueue.add([{ id: split!.id, reason: 'A bug.', at: NOON }])
      await upkeep.removeOldest({ before: NOON + 1 })
      expect((await upkeep.backlog()).quarantined).toBe(1)
    })

    test('in quarantine do not wait for other webhooks, even after one accepted them', async () => {
      await using harness = await open()
      const { noticeQueue } = harness.backend
      const urls = [LANE.url, OTHER_LANE.url]
      const [split] = await createSplit(harness.backend, [notice()], urls)
      const webhooks = [partOf({ state: 'delivered' }), partOf({ url: OTHER_LANE.url })]
      const done: Delivery = { ...split!, state: 'delivered', attemptCount: 1, webhooks }
      await noticeQueue.record([{ delivery: done, attempts: [] }])
      await noticeQueue.add([{ id: done.id, reason: 'A bug.', at: NOON }])
      expect(await noticeQueue.waiting()).toEqual({ lanes: [], isUnsplit: false })
    })

    test('are listed by deletion, page by page', async () => {
      await using harness = await open()
      const { notices } = harness.backend
      const all = ['u1', 'u2', 'u3'].map((id) => notice({ subject: user(id) }))
      await notices.create([...all, notice({ id: 'msg_other', deletionId: 'del_other' })])
      const first = await notices.list(DELETION, { limit: 2 })
      const second = await notices.list(DELETION, { limit: 2, cursor: first.nextCursor! })
      const ids = [...first.data, ...second.data].map(({ id }) => id)
      expect(ids).toEqual(all.map(({ id }) => id).toSorted())
      expect(second.nextCursor).toBeNull()
      expect(await notices.progress('del_none')).toEqual([])
    })
  })
}
