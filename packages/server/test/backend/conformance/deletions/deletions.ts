import { describe, expect, test } from 'vitest'
import { NOON } from '@hookline/testing/records/accepted-event'
import type { OpenBackendHarness } from '../backend-harness.ts'
import { request } from './purge-requests.ts'

export function deletionsConformance(open: OpenBackendHarness): void {
  describe('deletions', () => {
    test('store a request with its users, and find it after a restart', async () => {
      await using harness = await open()
      const created = await request(harness, { sourceIds: ['src_a'], suppress: true }, ['b', 'a'])
      await harness.reopen()
      const { deletions } = harness.backend
      expect(await deletions.find(created.id)).toEqual({
        ...created,
        step: 'suppress',
        startedAt: null,
        suppressedAt: null,
        purgedAt: null,
        notifiedAt: null,
        purged: { events: 0, anonymousEvents: 0, deliveries: 0 },
      })
      expect(await deletions.ids(created.id, 'user', { after: '', limit: 1 })).toEqual(['a'])
      expect(await deletions.ids(created.id, 'user', { after: 'a', limit: 9 })).toEqual(['b'])
      expect(await deletions.find('del_none')).toBeUndefined()
    })

    test('keep userIds and anonymousIds apart', async () => {
      await using harness = await open()
      const { deletions } = harness.backend
      const created = { createdAt: NOON, sourceIds: null, suppress: false, users: 1 }
      const deletion = { ...created, id: 'del_a', anonymousUsers: 2 }
      await deletions.create(deletion, { userIds: ['x'], anonymousIds: ['x', 'y'] })
      await harness.reopen()
      const idsOf = (kind: 'user' | 'anonymous') =>
        harness.backend.deletions.ids('del_a', kind, { after: '', limit: 9 })
      expect(await idsOf('user')).toEqual(['x'])
      expect(await idsOf('anonymous')).toEqual(['x', 'y'])
      expect(await harness.backend.deletions.find('del_a')).toMatchObject(deletion)
    })

    test('advance step by step, recording each once', async () => {
      await using harness = await open()
      const { deletions } = harness.backend
      const { id } = await request(harness, { suppress: true })
      const steps = ['suppress', 'purge', 'notify', 'done'] as const
      for (const [index, step] of steps.entries()) {
        await deletions.advance(id, step, NOON + index)
        await deletions.advance(id, step, NOON + 100)
        expect((await deletions.find(id))?.step).toBe(step)
      }
      expect(await deletions.find(id)).toMatchObject({
        startedAt: NOON,
        suppressedAt: NOON + 1,
        purgedAt: NOON + 2,
        notifiedAt: NOON + 3,
      })
    })

    test('skip the suppression if none is requested, but never go back or skip another step', async () => {
      await using harness = await open()
      const { deletions } = harness.backend
      const { id } = await request(harness)
      await deletions.advance(id, 'done', NOON)
      expect(await deletions.find(id)).toMatchObject({ step: 'purge', startedAt: null })
      await deletions.advance(id, 'purge', NOON + 1)
      await deletions.advance(id, 'notify', NOON + 2)
      await deletions.advance(id, 'purge', NOON + 3)
      expect(await deletions.find(id)).toMatchObject({
        step: 'notify',
        startedAt: NOON + 1,
        suppressedAt: null,
      })
    })

    test('are listed newest first, and with isOpen only unfinished ones', async () => {
      await using harness = await open()
      const { deletions } = harness.backend
      const [old, done, young] = [
        await request(harness, { createdAt: NOON }),
        await request(harness, { createdAt: NOON + 1 }),
        await request(harness, { createdAt: NOON + 2 }),
      ]
      for (const step of ['purge', 'notify', 'done'] as const)
        await deletions.advance(done.id, step, NOON)
      const left = await deletions.list({ isOpen: true }, { limit: 9 })
      expect(left.data.map(({ id }) => id)).toEqual([young.id, old.id])
      const first = await deletions.list({}, { limit: 2 })
      const second = await deletions.list({}, { limit: 2, cursor: first.nextCursor! })
      expect([...first.data, ...second.data].map(({ id }) => id)).toEqual([
        young.id,
        done.id,
        old.id,
      ])
      expect(second.nextCursor).toBeNull()
    })
  })
}
