import { describe, expect, test } from 'vitest'
import type { Suppression, SuppressionRecord } from '../../../src/backend/deletions.ts'
import { NOON } from '../../harness/accepted-event.ts'
import type { OpenBackendHarness } from './backend-harness.ts'

const everywhere: Suppression = {
  userId: 'u 1/ä',
  sourceId: null,
  since: NOON,
  deletionId: 'del_a',
}
const inOne: Suppression = { ...everywhere, userId: 'u2', sourceId: 'src_a' }

/** The suppression as it is stored before it has left out a call. */
const unused = (suppression: Suppression): SuppressionRecord => ({
  ...suppression,
  callsLeftOut: 0,
  lastLeftOutAt: null,
})

export function suppressionsConformance(open: OpenBackendHarness): void {
  describe('suppressions', () => {
    test('apply in the sources they name, or in every one, across a restart', async () => {
      await using harness = await open()
      await harness.backend.suppressions.add([everywhere, inOne])
      for (const restart of [false, true]) {
        if (restart) await harness.reopen()
        const { suppressions } = harness.backend
        expect(suppressions.has('src_a', everywhere.userId)).toBe(true)
        expect(suppressions.has('src_new', everywhere.userId)).toBe(true)
        expect(suppressions.has('src_a', 'u2')).toBe(true)
        expect(suppressions.has('src_b', 'u2')).toBe(false)
        expect(suppressions.has('src_a', 'u3')).toBe(false)
      }
    })

    test('added twice are one: the first', async () => {
      await using harness = await open()
      const { suppressions } = harness.backend
      await suppressions.add([inOne])
      await suppressions.add([{ ...inOne, since: NOON + 9, deletionId: 'del_b' }])
      expect((await suppressions.list({}, { limit: 9 })).data).toEqual([unused(inOne)])
    })

    test('end for a user in every source, and report whether there was one', async () => {
      await using harness = await open()
      await harness.backend.suppressions.add([inOne, { ...inOne, sourceId: 'src_b' }, everywhere])
      expect(await harness.backend.suppressions.remove('u2')).toBe(true)
      expect(await harness.backend.suppressions.remove('u2')).toBe(false)
      expect(harness.backend.suppressions.has('src_a', 'u2')).toBe(false)
      await harness.reopen()
      const { suppressions } = harness.backend
      expect(suppressions.has('src_b', 'u2')).toBe(false)
      expect(suppressions.has('src_a', everywhere.userId)).toBe(true)
    })

    test('are found by user, newest first, with the number of all', async () => {
      await using harness = await open()
      const { suppressions } = harness.backend
      const both = [inOne, { ...inOne, sourceId: 'src_b' }]
      await suppressions.add([...both, everywhere])
      const newestFirst = both.toReversed().map(unused)
      expect(await suppressions.find('u2', 9)).toEqual({ data: newestFirst, count: 2 })
      expect(await suppressions.find('u2', 1)).toEqual({ data: newestFirst.slice(0, 1), count: 2 })
      expect((await suppressions.list({ userId: 'u2' }, { limit: 9 })).data).toEqual(newestFirst)
      expect(await suppressions.find('u3', 9)).toEqual({ data: [], count: 0 })
    })

    test('are listed newest first, page by page', async () => {
      await using harness = await open()
      const { suppressions } = harness.backend
      const all = ['a', 'b', 'c'].map((userId) => ({ ...inOne, userId }))
      for (const each of all) await suppressions.add([each])
      const first = await suppressions.list({}, { limit: 2 })
      const second = await suppressions.list({}, { limit: 2, cursor: first.nextCursor! })
      expect([...first.data, ...second.data]).toEqual(all.toReversed().map(unused))
      expect(second.nextCursor).toBeNull()
    })

    test('count the calls that they left out, across a restart', async () => {
      await using harness = await open()
      const elsewhere = { ...inOne, sourceId: 'src_b' }
      const added = [everywhere, inOne, elsewhere]
      await harness.backend.suppressions.add(added)
      const calls = { sourceId: 'src_a', at: NOON + 5 }
      const { userId } = everywhere
      await harness.backend.suppressions.countLeftOut({ ...calls, users: [[userId, 2]] })
      const users = [[userId, 1] as const, ['u2', 3] as const, ['u3', 9] as const]
      await harness.backend.suppressions.countLeftOut({ ...calls, at: NOON + 7, users })
      await harness.reopen()
      const { data } = await harness.backend.suppressions.list({}, { limit: 9 })
      expect(data).toEqual([
        unused(elsewhere),
        { ...inOne, callsLeftOut: 3, lastLeftOutAt: NOON + 7 },
        { ...everywhere, callsLeftOut: 3, lastLeftOutAt: NOON + 7 },
      ])
    })

    test('begin to count again when they begin again', async () => {
      await using harness = await open()
      const { suppressions } = harness.backend
      const calls = { sourceId: 'src_a', users: [['u2', 3]], at: NOON } as const
      await suppressions.add([inOne])
      await suppressions.countLeftOut(calls)
      await suppressions.remove('u2')
      await suppressions.countLeftOut(calls)
      await suppressions.add([inOne])
      expect((await suppressions.find('u2', 9)).data).toEqual([unused(inOne)])
    })
  })
}
