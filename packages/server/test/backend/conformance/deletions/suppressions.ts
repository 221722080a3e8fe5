import { describe, expect, test } from 'vitest'
import type { Suppression, SuppressionRecord } from '../../../../src/backend/deletions.ts'
import { NOON } from '@hookline/testing/records/accepted-event'
import type { OpenBackendHarness } from '../backend-harness.ts'

const everywhere: Suppression = {
  kind: 'user',
  id: 'u 1/ä',
  sourceId: null,
  since: NOON,
  deletionId: 'del_a',
}
const inOne: Suppression = { ...everywhere, id: 'u2', sourceId: 'src_a' }

/** The stored suppression before it has dropped a call. */
const unused = (suppression: Suppression): SuppressionRecord => ({
  ...suppression,
  droppedCalls: 0,
  lastDroppedAt: null,
})

export function suppressionsConformance(open: OpenBackendHarness): void {
  describe('suppressions', () => {
    test('apply in their source, or in every source, across a restart', async () => {
      await using harness = await open()
      await harness.backend.suppressions.add([everywhere, inOne])
      for (const restart of [false, true]) {
        if (restart) await harness.reopen()
        const { suppressions } = harness.backend
        expect(suppressions.has('src_a', 'user', everywhere.id)).toBe(true)
        expect(suppressions.has('src_new', 'user', everywhere.id)).toBe(true)
        expect(suppressions.has('src_a', 'user', 'u2')).toBe(true)
        expect(suppressions.has('src_b', 'user', 'u2')).toBe(false)
        expect(suppressions.has('src_a', 'user', 'u3')).toBe(false)
      }
    })

    test('of a userId and an anonymousId with the same text are independent', async () => {
      await using harness = await open()
      const ofVisitor: Suppression = { ...inOne, kind: 'anonymous' }
      await harness.backend.suppressions.add([ofVisitor])
      for (const restart of [false, true]) {
        if (restart) await harness.reopen()
        const { suppressions } = harness.backend
        expect(suppressions.has('src_a', 'anonymous', 'u2')).toBe(true)
        expect(suppressions.has('src_b', 'anonymous', 'u2')).toBe(false)
        expect(suppressions.has('src_a', 'user', 'u2')).toBe(false)
      }
      const { suppressions } = harness.backend
      await suppressions.add([inOne])
      const users = [{ kind: 'anonymous', id: 'u2', calls: 3 }] as const
      await suppressions.countSuppressed({ sourceId: 'src_a', at: NOON, users })
      const { data } = await suppressions.find(ofVisitor, 9)
      expect(data).toEqual([{ ...ofVisitor, droppedCalls: 3, lastDroppedAt: NOON }])
      expect(await suppressions.remove(ofVisitor)).toBe(true)
      expect((await suppressions.list({}, { limit: 9 })).data).toEqual([unused(inOne)])
    })

    test('accept ids of 30,000 characters, and characters that a column cannot store', async () => {
      await using harness = await open()
      const random = Array.from({ length: 9_000 }, () => Math.random().toString(36)).join('')
      const ids = [random.slice(0, 30_000), 'a\0b', '\uf8ff0']
      const { suppressions } = harness.backend
      await suppressions.add(ids.map((id) => ({ ...everywhere, id })))
      for (const restart of [false, true]) {
        if (restart) await harness.reopen()
        const isThere = (id: string) => harness.backend.suppressions.has('src_a', 'user', id)
        expect(ids.map(isThere)).toEqual([true, true, true])
        expect(['a', 'ab', '\uf8ff'].map(isThere)).toEqual([false, false, false])
      }
      const found = await harness.backend.suppressions.find({ kind: 'user', id: 'a\0b' }, 9)
      expect(found.data.map(({ id }) => id)).toEqual(['a\0b'])
    })

    test('added twice are stored once, with the first values', async () => {
      await using harness = await open()
      const { suppressions } = harness.backend
      await suppressions.add([inOne])
      await suppressions.add([{ ...inOne, since: NOON + 9, deletionId: 'del_b' }])
      expect((await suppressions.list({}, { limit: 9 })).data).toEqual([unused(inOne)])
    })

    test('are removed for a user in every source, reporting whether any existed', async () => {
      await using harness = await open()
      await harness.backend.suppressions.add([inOne, { ...inOne, sourceId: 'src_b' }, everywhere])
      expect(await harness.backend.suppressions.remove({ kind: 'user', id: 'u2' })).toBe(true)
      expect(await harness.backend.suppressions.remove({ kind: 'user', id: 'u2' })).toBe(false)
      expect(harness.backend.suppressions.has('src_a', 'user', 'u2')).toBe(false)
      await harness.reopen()
      const { suppressions } = harness.backend
      expect(suppressions.has('src_b', 'user', 'u2')).toBe(false)
      expect(suppressions.has('src_a', 'user', everywhere.id)).toBe(true)
    })

    test('are found by user, newest first, with their total number', async () => {
      await using harness = await open()
      const { suppressions } = harness.backend
      const both = [inOne, { ...inOne, sourceId: 'src_b' }]
      await suppressions.add([...both, everywhere])
      const newestFirst = both.toReversed().map(unused)
      expect(await suppressions.find({ kind: 'user', id: 'u2' }, 9)).toEqual({
        data: newestFirst,
        count: 2,
      })
      expect(await suppressions.find({ kind: 'user', id: 'u2' }, 1)).toEqual({
        data: newestFirst.slice(0, 1),
        count: 2,
      })
      expect(
        (await suppressions.list({ user: { kind: 'user', id: 'u2' } }, { limit: 9 })).data,
      ).toEqual(newestFirst)
      expect(await suppressions.find({ kind: 'user', id: 'u3' }, 9)).toEqual({ data: [], count: 0 })
    })

    test('are listed newest first, page by page', async () => {
      await using harness = await open()
      const { suppressions } = harness.backend
      const all = ['a', 'b', 'c'].map((id) => ({ ...inOne, id }))
      for (const each of all) await suppressions.add([each])
      const first = await suppressions.list({}, { limit: 2 })
      const second = await suppressions.list({}, { limit: 2, cursor: first.nextCursor! })
      expect([...first.data, ...second.data]).toEqual(all.toReversed().map(unused))
      expect(second.nextCursor).toBeNull()
    })

    test('count the calls that they dropped, across a restart', async () => {
      await using harness = await open()
      const elsewhere = { ...inOne, sourceId: 'src_b' }
      const added = [everywhere, inOne, elsewhere]
      await harness.backend.suppressions.add(added)
      const calls = { sourceId: 'src_a', at: NOON + 5 }
      const left = (id: string, count: number) => ({ kind: 'user' as const, id, calls: count })
      const { id } = everywhere
      await harness.backend.suppressions.countSuppressed({ ...calls, users: [left(id, 2)] })
      const users = [left(id, 1), left('u2', 3), left('u3', 9)]
      await harness.backend.suppressions.countSuppressed({ ...calls, at: NOON + 7, users })
      await harness.reopen()
      const { data } = await harness.backend.suppressions.list({}, { limit: 9 })
      expect(data).toEqual([
        unused(elsewhere),
        { ...inOne, droppedCalls: 3, lastDroppedAt: NOON + 7 },
        { ...everywhere, droppedCalls: 3, lastDroppedAt: NOON + 7 },
      ])
    })

    test('restart their count when they are added again', async () => {
      await using harness = await open()
      const { suppressions } = harness.backend
      const calls = {
        sourceId: 'src_a',
        users: [{ kind: 'user', id: 'u2', calls: 3 }],
        at: NOON,
      } as const
      await suppressions.add([inOne])
      await suppressions.countSuppressed(calls)
      await suppressions.remove({ kind: 'user', id: 'u2' })
      await suppressions.countSuppressed(calls)
      await suppressions.add([inOne])
      expect((await suppressions.find({ kind: 'user', id: 'u2' }, 9)).data).toEqual([unused(inOne)])
    })
  })
}
