import type { Attempt, Delivery } from '@hookline/protocol'
import { describe, expect, test } from 'vitest'
import type { NewNotice } from '../../../src/backend/notices.ts'
import { noticeId } from '../../../src/deletions/notices.ts'
import { NOON } from '../../harness/accepted-event.ts'
import type { OpenBackendHarness } from './backend-harness.ts'

const DELETION = 'del_01kf0v8w007000000000000000'
const url = 'https://example.com/'

function notice(change: Partial<NewNotice> = {}): NewNotice {
  const { destinationId = 'dst_a', userId = 'u1' } = change
  return {
    id: noticeId(DELETION, destinationId, userId),
    deletionId: DELETION,
    sourceId: 'src_a',
    destinationId,
    userId,
    createdAt: NOON,
    dueAt: NOON,
    ...change,
  }
}

function attempt(change: Partial<Attempt>): Attempt {
  const base = { id: 'att_1', round: 1, number: 1, url, startedAt: NOON, durationMs: 7 }
  return { ...base, outcome: 'retry', class: 'http_5xx', status: 500, body: 'down', ...change }
}

const { body: _, ...delivered } = attempt({
  id: 'att_2',
  number: 2,
  outcome: 'delivered',
  class: 'delivered',
  status: 200,
  startedAt: NOON + 10,
})

export function noticesConformance(open: OpenBackendHarness): void {
  describe('notices', () => {
    test('are handed out as deliveries that name the deleted user, one claim at a time', async () => {
      await using harness = await open()
      await harness.backend.notices.create([notice(), notice({ destinationId: 'dst_b' })])
      await harness.reopen()
      const { noticeQueue } = harness.backend
      expect(await noticeQueue.nextDue()).toEqual(
        new Map([
          ['dst_a', NOON],
          ['dst_b', NOON],
        ]),
      )
      const { deliveries } = await noticeQueue.claim('dst_a', { now: NOON, limit: 9 })
      const timestamp = '2026-01-15T12:00:00.000Z'
      expect(deliveries).toEqual([
        {
          delivery: {
            id: notice().id,
            eventId: DELETION,
            destinationId: 'dst_a',
            state: 'pending',
            rounds: 0,
            firstDueAt: NOON,
            dueAt: NOON,
            webhooks: [],
          },
          event: {
            id: DELETION,
            sourceId: 'src_a',
            event: { type: 'delete', userId: 'u1', timestamp, receivedAt: timestamp },
          },
        },
      ])
      expect((await noticeQueue.claim('dst_a', { now: NOON, limit: 9 })).deliveries).toEqual([])
      expect([...(await noticeQueue.nextDue()).keys()]).toEqual(['dst_b'])
      await noticeQueue.release([notice().id])
      expect((await noticeQueue.claim('dst_a', { now: NOON, limit: 9 })).deliveries).toHaveLength(1)
    })

    test('created twice are one, in any state', async () => {
      await using harness = await open()
      const { notices, noticeQueue } = harness.backend
      await notices.create([notice()])
      const [claimed] = (await noticeQueue.claim('dst_a', { now: NOON, limit: 1 })).deliveries
      const ended: Delivery = { ...claimed!.delivery, state: 'rejected', rounds: 1, dueAt: null }
      await noticeQueue.record([{ delivery: ended, attempts: [] }])
      await notices.create([notice({ dueAt: NOON + 9 })])
      const { data } = await notices.list(DELETION, { limit: 9 })
      expect(data.map(({ state }) => state)).toEqual(['rejected'])
      expect(await noticeQueue.nextDue()).toEqual(new Map())
    })

    test('keep every attempt, count them, and never leave a final state', async () => {
      await using harness = await open()
      const { notices, noticeQueue } = harness.backend
      await notices.create([notice(), notice({ userId: 'u2' })])
      const [claimed] = (await noticeQueue.claim('dst_a', { now: NOON, limit: 1 })).deliveries
      const { delivery } = claimed!
      const failed = attempt({})
      const { body: _body, ...last } = failed
      const waiting: Delivery = {
        ...delivery,
        rounds: 1,
        dueAt: NOON + 5,
        webhooks: [{ url, outcome: 'retry', dueAt: NOON + 5, last }],
      }
      await noticeQueue.record([{ delivery: waiting, attempts: [failed] }])
      const done: Delivery = {
        ...delivery,
        state: 'delivered',
        rounds: 2,
        dueAt: null,
        webhooks: [{ url, outcome: 'delivered', last: delivered }],
      }
      await noticeQueue.record([{ delivery: done, attempts: [delivered] }])
      await noticeQueue.record([{ delivery: { ...waiting, rounds: 3 }, attempts: [] }])
      await harness.reopen()
      const { data } = await harness.backend.notices.list(DELETION, { limit: 9 })
      const found = data.find(({ id }) => id === delivery.id)
      expect(found).toEqual({
        ...done,
        sourceId: 'src_a',
        userId: found?.userId,
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

    test('are held, and made pending again, by destination', async () => {
      await using harness = await open()
      const { notices, noticeQueue } = harness.backend
      await notices.create([notice(), notice({ destinationId: 'dst_b' })])
      const [claimed] = (await noticeQueue.claim('dst_a', { now: NOON, limit: 1 })).deliveries
      const held: Delivery = { ...claimed!.delivery, state: 'held', dueAt: null }
      await noticeQueue.record([{ delivery: held, attempts: [] }])
      expect((await noticeQueue.backlog()).waiting).toEqual([
        { destinationId: 'dst_a', state: 'held', count: 1 },
        { destinationId: 'dst_b', state: 'pending', count: 1 },
      ])
      expect(await noticeQueue.unhold('dst_b', NOON + 5)).toBe(0)
      expect(await noticeQueue.unhold('dst_a', NOON + 5)).toBe(1)
      expect(await noticeQueue.nextDue()).toEqual(
        new Map([
          ['dst_a', NOON + 5],
          ['dst_b', NOON],
        ]),
      )
    })

    test('in quarantine are not handed out again, and count as failed', async () => {
      await using harness = await open()
      const { notices, noticeQueue } = harness.backend
      await notices.create([notice()])
      await noticeQueue.add([{ id: notice().id, reason: 'A bug.', at: NOON }])
      expect((await noticeQueue.claim('dst_a', { now: NOON, limit: 9 })).deliveries).toEqual([])
      const [progress] = await notices.progress(DELETION)
      expect(progress?.counts).toEqual({ waiting: 0, delivered: 0, failed: 1 })
    })

    test('are listed by deletion, page by page', async () => {
      await using harness = await open()
      const { notices } = harness.backend
      const all = ['u1', 'u2', 'u3'].map((userId) => notice({ userId }))
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
